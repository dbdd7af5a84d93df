/** A file of a new skill. */
export interface TemplateFile {
  readonly path: string;
  readonly text: string;
  readonly executable?: boolean;
}

/** The values for a template. */
export interface TemplateFields {
  /** The lines between the fences. */
  readonly frontmatter: string;
  /** The title for people: `Pdf forms` for `pdf-forms`. */
  readonly title: string;
}

/** basic: instructions only. script: with a program. reference: with a file for details. */
export const skillTemplates = ["basic", "script", "reference"] as const;
export type SkillTemplate = (typeof skillTemplates)[number];

export function fillTemplate(template: SkillTemplate, fields: TemplateFields): readonly TemplateFile[] {
  switch (template) {
    case "basic":
      return [skillFile(fields, basicBody)];
    case "script":
      return [
        skillFile(fields, scriptBody),
        { path: "scripts/main.mjs", text: scriptText, executable: true },
      ];
    case "reference":
      return [skillFile(fields, referenceBody), { path: "references/detail.md", text: referenceText }];
  }
}

function skillFile({ frontmatter, title }: TemplateFields, body: string): TemplateFile {
  return { path: "SKILL.md", text: `---\n${frontmatter}---\n\n# ${title}\n\n${body}` };
}

const basicBody = `## Steps

1. Say what to do first, as you would tell a colleague who is new to it.
2. Name the tools, files and formats to use.
3. Say how to check the result.

## Example

Show one request and the answer that it should get.

## When something goes wrong

Name the mistakes that are easy to make, and what to do about each.
`;

const scriptBody = `## Steps

1. Run \`scripts/main.mjs\` with the text to work on. It prints one JSON object.
2. Read \`words\` and \`lines\` from it and use them in the answer.
3. If it ends with another exit code than 0, say what its message says, and stop.

## Script

| argument | meaning |
|---|---|
| \`<text>...\` | what to work on |
| \`--help\` | prints how to call it |
`;

const scriptText = `#!/usr/bin/env node
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  options: { help: { type: "boolean", short: "h" } },
  allowPositionals: true,
});

if (values.help || positionals.length === 0) {
  console.error("Usage: main.mjs <text>...");
  process.exit(values.help ? 0 : 2);
}

const text = positionals.join(" ");
const words = text.split(/\\s+/).filter((word) => word !== "").length;
const lines = text.split("\\n").length;
console.log(JSON.stringify({ words, lines }));
`;

const referenceBody = `## Steps

1. Decide which part of the task it is.
2. Read the reference for that part, and only that one.
3. Do what it says, and check the result.

## References

| read | when |
|---|---|
| [references/detail.md](references/detail.md) | the steps above are not enough |
`;

const referenceText = `# Detail

Write here what is needed now and then: tables, formats, long examples. It costs nothing until it is read, so keep each
reference to one subject and below 300 lines.

## Contents

- First subject

## First subject

Replace this by what an agent cannot know by itself.
`;
