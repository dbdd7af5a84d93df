import { boundList, clip } from "../shared/bounded.ts";
import { defineCommand, type JsonObject } from "../shared/command.ts";
import { checkSkill } from "./check-skill.ts";
import { openSkillFolder } from "./skill-folder.ts";

export const checkCommand = defineCommand({
  name: "check",
  summary: "Check a skill against the specification",
  operands: { label: "<folder>", min: 1, max: 1 },
  options: {},
  details: `
{"ok":true,"valid":false,"remarks":[{"level":"error","code":"NAME_DIR_MISMATCH","message":"…"}],"lines":120,"files":[…]}

"valid" is false when there is an error; warnings and infos are advice. The rules and codes are those of
"skillhold validate" in the profiles strict and authoring.`,
  run({ operands: [path = ""] }, io): JsonObject {
    const folder = openSkillFolder(path, io);
    const { remarks, name, lines } = checkSkill(folder);
    const files = boundList(folder.files, 100);
    return {
      valid: remarks.every(({ level }) => level !== "error"),
      name: name === undefined ? null : clip(name, 100),
      remarks: remarks
        .slice(0, 100)
        .map(({ level, code, message }) => ({ level, code, message: clip(message, 300) })),
      lines,
      files: files.items.map((file) => clip(file.path, 200)),
      fileCount: files.total,
    };
  },
});
