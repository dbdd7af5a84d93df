import { boundList, clip } from "../shared/bounded.ts";
import { defineCommand, type JsonObject } from "../shared/command.ts";
import { checkSkill } from "./check-skill.ts";
import { openSkillFolder } from "./skill-folder.ts";

export const checkCommand = defineCommand({
  name: "check",
  summary: "Check a skill against the rules of the standard",
  operands: { label: "<folder>", min: 1, max: 1 },
  options: {},
  details: `
{"ok":true,"valid":false,"remarks":[{"level":"error","code":"NAME_DIR_MISMATCH","message":"…"}],"lines":120,"files":[…]}

"valid" is false when there is an error; warnings are advice. Where the skillhold command is at hand, use
"skillhold validate" instead: it knows every rule, and it decides where the two differ.`,
  async run({ operands: [path = ""] }, io): Promise<JsonObject> {
    const folder = openSkillFolder(path, io);
    const { remarks, name, lines } = await checkSkill(folder);
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
