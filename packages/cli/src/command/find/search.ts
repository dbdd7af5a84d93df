import type { SearchResult } from "@skillhold/core/library";
import { neutralText } from "@skillhold/core/text";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { withLibrary } from "../../open.ts";
import { countOption } from "../../option.ts";
import { readingOptions } from "../../shared-option.ts";
import { type ExitCode, type Io, plain, printData } from "../../terminal/output.ts";
import { cutToWidth } from "../../terminal/table.ts";
import { count, paintFor } from "../../terminal/text.ts";

const DEFAULT_LIMIT = 10;
const MOST_HITS = 1000;

const optionSpecs = [
  { flags: "--limit <count>", summary: "print at most this many skills", default: "10" },
  ...readingOptions,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [{ usage: "<query...>", summary: "words, a name, or a whole task" }],
  options: optionSpecs,
  examples: ["search merge pdf files", "search --root ./skills --limit 3 slides"],
  run,
});

/** Prints the best matches of a query, each with its matched words. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  const query = input.args.join(" ");
  const limit = countOption(options, "limit", { min: 1, max: MOST_HITS }) ?? DEFAULT_LIMIT;
  return await withLibrary<ExitCode>(input, async ({ library, viewer, rootFlags }) => {
    const results = await library.search(viewer, query, { limit });
    if (io.json) printData(io, { query, hits: results.map(toHit) });
    else if (results.length > 0) await printResults(io, results, rootFlags);
    else printNothing(io, query, (await library.list(viewer)).length, rootFlags);
    return 0;
  });
}

function toHit({ entry, hit, snippet }: SearchResult, index: number) {
  const { score, matched, fields, parts, isWeak, copies } = hit;
  return {
    rank: index + 1,
    id: entry.id,
    score,
    why: { matched, fields, parts },
    isWeak,
    copies,
    name: entry.name,
    description: entry.description,
    snippet,
    source: entry.source,
    trust: entry.trust,
    path: entry.path,
    readiness: entry.readiness,
  };
}

async function printResults(io: Io, results: readonly SearchResult[], rootFlags: string): Promise<void> {
  const paint = await paintFor(io.color);
  const fit = (text: string) => (io.isOutTty ? cutToWidth(text, io.columns - 5) : text);
  for (const [index, { entry, hit, snippet }] of results.entries()) {
    const rank = `${index + 1}.`.padStart(3);
    io.out(`${rank} ${paint.bold(entry.id)}  ${hit.score.toFixed(2)}  ${paint.dim(formatWhy(hit))}\n`);
    io.out(`    ${fit(neutralText(snippet))}\n`);
    if (hit.copies.length > 0) io.out(`    ${paint.dim(fit(`the same as ${hit.copies.join(", ")}`))}\n`);
  }
  io.err(`${count(results.length, "hit")}: run \`skillhold read <id>${rootFlags}\` to print one\n`);
}

function printNothing(io: Io, query: string, searched: number, rootFlags: string): void {
  if (searched === 0) {
    io.err("No skills to search. Run `skillhold list` to see where it looked.\n");
    return;
  }
  io.err(`No match for ${plain(JSON.stringify(query))} in ${count(searched, "skill")}.\n`);
  io.err(`Run \`skillhold list${rootFlags}\` to see all skills, or add --root to search another folder.\n`);
}

function formatWhy({ matched, fields, isWeak }: SearchResult["hit"]): string {
  const words =
    matched.length === 0 ? "a similar name" : matched.map((word) => neutralText(word, 40)).join(", ");
  const where = fields.length === 0 ? "" : ` in ${fields.join(", ")}`;
  return `${words}${where}${isWeak ? " (weak)" : ""}`;
}
