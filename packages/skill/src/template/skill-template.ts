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

/**
 * context: instructions only. script: with a Node program. python: with a Python program. tool: with tools that agents call
 * by name. reference: with a file for details.
 */
export const skillTemplates = ["context", "script", "python", "tool", "reference"] as const;
export type SkillTemplate = (typeof skillTemplates)[number];

export function fillTemplate(template: SkillTemplate, fields: TemplateFields): readonly TemplateFile[] {
  switch (template) {
    case "context":
      return [skillFile(fields, contextBody)];
    case "script":
      return [
        skillFile(fields, scriptBody("main.mjs")),
        { path: "scripts/main.mjs", text: nodeScript, executable: true },
      ];
    case "python":
      return [
        skillFile(fields, scriptBody("main.py")),
        { path: "scripts/main.py", text: pythonScript, executable: true },
      ];
    case "tool":
      return [
        skillFile(fields, toolBody),
        { path: "tools/count-words.ts", text: typeScriptTool },
        { path: "tools/find_dates.py", text: pythonTool },
      ];
    case "reference":
      return [skillFile(fields, referenceBody), { path: "references/detail.md", text: referenceText }];
  }
}

function skillFile({ frontmatter, title }: TemplateFields, body: string): TemplateFile {
  return { path: "SKILL.md", text: `---\n${frontmatter}---\n\n# ${title}\n\n${body}` };
}

const contextBody = `## Steps

1. Say what to do first, as you would tell a colleague who is new to it.
2. Name the tools, files and formats to use.
3. Say how to check the result.

## Example

Show one request and the answer that it should get.

## When something goes wrong

Name the mistakes that are easy to make, and what to do about each.
`;

const scriptBody = (script: string): string => `## Steps

1. Run \`scripts/${script}\` with the text to work on. It prints one JSON object.
2. Read \`words\` and \`lines\` from it and use them in the answer.
3. If the exit code is not 0, report the message and stop.

## Script

| argument | meaning |
|---|---|
| \`<text>...\` | the text to work on |
| \`--help\` | print the usage |
`;

const nodeScript = `#!/usr/bin/env node
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

const pythonScript = `#!/usr/bin/env python3
import argparse
import json

parser = argparse.ArgumentParser(prog="main.py", description="Count the words and lines of a text.")
parser.add_argument("text", nargs="+", help="the text to work on")
text = " ".join(parser.parse_args().text)
print(json.dumps({"words": len(text.split()), "lines": text.count("\\n") + 1}))
`;

const toolBody = `## Steps

1. Call \`count_words\` with the text to get the number of words.
2. Call \`find_dates\` with the text to get its dates as year-month-day.
3. Use the results in the answer.

## Tools

| tool | file | input |
|---|---|---|
| \`count_words\` | tools/count-words.ts | \`text\` |
| \`find_dates\` | tools/find_dates.py | \`text\` |
`;

const typeScriptTool = `export const count_words = {
  description: "Count the words of a text.",
  inputSchema: {
    type: "object",
    properties: { text: { type: "string", description: "the text to count" } },
    required: ["text"],
  },
  run: ({ text }: { text: string }): { words: number } => ({
    words: text.split(/\\s+/).filter((word) => word !== "").length,
  }),
};
`;

const pythonTool = `import re

from langchain_core.tools import tool


@tool
def find_dates(text: str) -> list:
    """Find the dates of a text that are written as year-month-day."""
    return re.findall(r"\\b\\d{4}-\\d{2}-\\d{2}\\b", text)
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
