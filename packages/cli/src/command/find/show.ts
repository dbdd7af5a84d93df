import type { SkillContent } from "@skillhold/core/library";
import { neutralText } from "@skillhold/core/text";
import { shortPath } from "@skillhold/host/place";
import { trustReasons } from "@skillhold/protocol";
import { type CommandInput, defineCommand, type OptionsOf } from "../../command.ts";
import { getEntry } from "../../get-entry.ts";
import { type Opened, withLibrary } from "../../open.ts";
import { idArgument, readingOptions } from "../../shared-option.ts";
import { type ExitCode, type Io, plain, printData } from "../../terminal/output.ts";
import { formatSize, paintFor } from "../../terminal/text.ts";

export const command = defineCommand({
  arguments: [idArgument],
  options: readingOptions,
  examples: ["show pdf"],
  run,
});

/** Prints everything about one skill except its instructions. */
async function run(input: CommandInput<OptionsOf<typeof readingOptions>>): Promise<ExitCode> {
  const { io } = input;
  return await withLibrary<ExitCode>(input, async (opened) => {
    const { id } = await getEntry(opened, input.args[0] ?? "");
    const content = await opened.library.read(opened.viewer, id);
    const { shadowed: all } = opened.inspect().view;
    const shadowed = all.filter((each) => each.id === id && opened.isDisclosed(each));
    if (io.json) {
      const { entry, files, treeHash, skillHash } = content;
      printData(io, { entry, treeHash, skillHash, files, shadowed });
    } else await printSkill(io, content, shadowed);
    return 0;
  });
}

type Shadowed = ReturnType<Opened["inspect"]>["view"]["shadowed"];

async function printSkill(io: Io, content: SkillContent, shadowed: Shadowed): Promise<void> {
  const paint = await paintFor(io.color);
  const { entry, files } = content;
  io.out(`${paint.bold(entry.id)}\n`);
  for (const [label, value] of fieldsOf(io, content)) {
    if (value !== "") io.out(`  ${paint.dim(label.padEnd(14))}${neutralText(value)}\n`);
  }
  section(io, "files", files, ({ path, size, role, executable }) => {
    return `${plain(path)}  ${paint.dim(`${role}, ${formatSize(size)}${executable ? ", executable" : ""}`)}`;
  });
  section(io, "findings", entry.diagnostics, ({ severity, file, line, column, code, message }) => {
    return `${plain(file ?? "SKILL.md")}:${line}:${column} ${severity} ${plain(message)} ${paint.dim(code)}`;
  });
  section(io, "shadows", shadowed, ({ path, source }) => {
    return `${plain(shortPath(io, path))} ${paint.dim(`(${plain(source)})`)}`;
  });
}

function fieldsOf(io: Io, content: SkillContent): readonly (readonly [label: string, value: string])[] {
  const { entry, treeHash, skillHash } = content;
  const { state, reasons } = entry.readiness;
  const { env, bins, anyBins, config } = entry.requires;
  return [
    ["name", entry.name === entry.id ? "" : entry.name],
    ["description", entry.description],
    ["version", entry.version ?? ""],
    ["type", entry.type],
    ["tags", entry.tags.join(", ")],
    ["author", entry.author ?? ""],
    ["license", entry.license ?? ""],
    ["homepage", entry.homepage ?? ""],
    ["compatibility", entry.compatibility ?? ""],
    ["source", entry.source],
    ["trust", `${entry.trust}: ${trustReasons[entry.trust]}`],
    ["path", shortPath(io, entry.path)],
    ["changed", entry.lastModified],
    ["readiness", reasons.length === 0 ? state : `${state}: ${reasons.join("; ")}`],
    ["needs", [...bins, ...anyBins, ...env, ...config].join(", ")],
    ["needs skills", entry.requiresSkills.join(", ")],
    ["runtime", entry.runtime.filter((name) => name !== "*").join(", ")],
    ["started by", formatInvocation(entry.invocation)],
    ["arguments", entry.argumentHint ?? ""],
    ["allowed tools", entry.allowedTools?.join(", ") ?? ""],
    ["tokens", `about ${entry.bodyTokens}`],
    ["tree hash", treeHash],
    ["SKILL.md hash", skillHash],
  ];
}

function formatInvocation({ model, user }: SkillContent["entry"]["invocation"]): string {
  if (model && user) return "model, user";
  return model ? "model only" : user ? "user only" : "no one";
}

function section<Item>(io: Io, title: string, items: readonly Item[], format: (item: Item) => string): void {
  if (items.length === 0) return;
  io.out(`${title}\n`);
  for (const item of items) io.out(`  ${format(item)}\n`);
}
