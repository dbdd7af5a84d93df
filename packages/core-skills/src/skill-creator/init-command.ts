import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { isSkillId } from "@skillhold/skill";
import { clip } from "../shared/bounded.ts";
import { defineCommand, type JsonObject } from "../shared/command.ts";
import { chooseOutput, folderOptions, writeOutput } from "../shared/output-file.ts";
import { ScriptError, usageError } from "../shared/script-error.ts";

type Extra = "script" | "reference" | "evals";

/** The files of a new skill, each with its template. */
const basic: Parts = [["SKILL.md", "new-skill.md"]];
const extras: Readonly<Record<Extra, Parts>> = {
  script: [["scripts/example.mjs", "script.mjs.txt"]],
  reference: [["references/detail.md", "reference.md"]],
  evals: [
    ["evals/evals.json", "evals.json"],
    ["evals/triggers.json", "triggers.json"],
  ],
};

type Parts = readonly (readonly [path: string, template: string])[];

export function initCommand(assets: string) {
  return defineCommand({
    name: "init",
    summary: "Write a new skill from a template",
    operands: { label: "<name>", min: 1, max: 1 },
    options: {
      ...folderOptions,
      description: { type: "string", help: "What the skill does and when to use it, up to 1024 characters" },
      with: { type: "string", multiple: true, value: "part", help: "script, reference or evals" },
    },
    details: `
init weekly-report --out-dir skills --with script --with evals --description "Write the weekly report. Use when …"

Writes <out-dir>/<name>/. An existing folder is not changed.`,
    async run({ operands: [name = ""], options }, io): Promise<JsonObject> {
      rejectName(name);
      const parent = options["out-dir"];
      if (parent === undefined) throw usageError("--out-dir <folder> is required.");
      const folder = join(parent, name);
      if (existsSync(resolve(io.cwd, folder))) {
        throw new ScriptError("FOLDER_EXISTS", `${folder} already exists.`, {
          hint: "Choose another name or folder.",
        });
      }
      const fill = makeFill(name, options.description);
      const parts = [...basic, ...(options.with ?? []).flatMap((extra) => extras[readExtra(extra)])];
      const files: JsonObject[] = [];
      for (const [path, template] of parts) {
        const request = { out: join(folder, path), "dry-run": options["dry-run"] };
        const output = await chooseOutput(request, [], io);
        const text = fill(readFileSync(join(assets, template), "utf8"));
        files.push(await writeOutput(output, new TextEncoder().encode(text)));
      }
      return { folder, files };
    },
  });
}

function rejectName(name: string): void {
  if (isSkillId(name)) return;
  throw usageError(
    `${clip(name, 80)} is not a valid skill name.`,
    "Use up to 64 lowercase letters and digits, separated by single hyphens: weekly-report.",
  );
}

function readExtra(text: string): Extra {
  if (text === "script" || text === "reference" || text === "evals") return text;
  throw usageError(`--with must be script, reference or evals, not ${clip(text, 40)}.`);
}

/** Values are written as JSON strings, which are also YAML strings, so that no value can break out of its field. */
function makeFill(name: string, description: string | undefined): (text: string) => string {
  const title = name.replaceAll("-", " ").replace(/^./, (letter) => letter.toUpperCase());
  if (description !== undefined && (description.trim() === "" || [...description].length > 1024)) {
    throw usageError("--description must have 1 to 1024 characters.");
  }
  const values: Readonly<Record<string, string>> = {
    name,
    title,
    description: JSON.stringify(description ?? `TODO: what ${name} does. Use when TODO.`),
  };
  return (text) => text.replace(/\{\{(\w+)\}\}/g, (all, key: string) => values[key] ?? all);
}
