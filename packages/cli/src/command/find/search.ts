import type { SearchResult } from "@skillhold/core/library";
import { useCounts } from "@skillhold/core/session";
import { neutralText } from "@skillhold/core/text";
import { SkillError } from "@skillhold/protocol/error";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { type Opened, withLibrary } from "../../open.ts";
import { countOption, textOption } from "../../option.ts";
import { readingOptions } from "../../shared-option.ts";
import { type ExitCode, type Io, plain, printData } from "../../terminal/output.ts";
import { cutToWidth } from "../../terminal/table.ts";
import { count, paintFor } from "../../terminal/text.ts";

const DEFAULT_LIMIT = 10;
const MOST_HITS = 1000;

const optionSpecs = [
  { flags: "--limit <count>", summary: "print at most this many skills", default: "10" },
  { flags: "--setup", summary: "install a local embedder for semantic search, and compute vectors" },
  { flags: "--catalog <name>", summary: "search clawhub or the discovery index of a website" },
  { flags: "--registry <url>", summary: "with --catalog clawhub, another registry of this kind" },
  ...readingOptions,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [{ usage: "[query...]", summary: "words, a name, or a whole task" }],
  options: optionSpecs,
  examples: [
    "search merge pdf files",
    "search --root ./skills --limit 3 slides",
    "search --catalog clawhub weather",
  ],
  run,
});

/** Prints the best matches of a query with the matched words; with `--setup`, installs an embedder. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  if (options["setup"] === true) return await setUp(input);
  const query = input.args.join(" ");
  if (query.trim() === "")
    throw new SkillError("USAGE", "search needs a query.", { hint: "Write words, a name, or a whole task." });
  const limit = countOption(options, "limit", { min: 1, max: MOST_HITS }) ?? DEFAULT_LIMIT;
  const catalog = textOption(options, "catalog");
  if (catalog !== undefined) {
    const { printCatalog } = await import("../../install/catalog-report.ts");
    return await printCatalog(input, catalog, query, limit);
  }
  return await withLibrary<ExitCode>(
    input,
    async (opened) => {
      const { library, viewer, rootFlags } = opened;
      const results = await library.search(viewer, query, { limit, uses: await usesOf(opened) });
      const notes = notesOf(opened);
      const fits = results.some(({ hit }) => !hit.isWeak);
      if (io.json) printData(io, { query, fits, notes, hits: results.map(toHit) });
      else if (results.length > 0) await printResults(io, results, fits, rootFlags);
      else printNothing(io, query, (await library.list(viewer)).length, rootFlags);
      if (!io.json) for (const note of notes) io.err(`note: ${plain(note)}\n`);
      return 0;
    },
    { usesModels: true },
  );
}

async function setUp(input: CommandInput): Promise<ExitCode> {
  const { installModel, prepareVectors } = await import("../../search-setup.ts");
  await installModel(input.io);
  await withLibrary(input, (opened) => prepareVectors(input.io, opened), { usesModels: true });
  return 0;
}

/** Use in the store lifts a skill a little among its likes. */
async function usesOf({ store }: Pick<Opened, "store">): Promise<ReadonlyMap<string, number>> {
  if (store === undefined) return new Map();
  const { recentUses } = await import("@skillhold/registry/audit");
  return useCounts(await recentUses(store.context.store));
}

/** Failures of models; the search went on without them. */
function notesOf({ search }: Opened): readonly string[] {
  const state = search?.state();
  const { vectors, reranker } = state ?? {};
  return [
    ...(vectors?.problem === undefined ? [] : [`ranked without the embedder: ${vectors.problem}`]),
    ...(vectors?.problem === undefined && (vectors?.waiting ?? 0) > 0
      ? [
          `${count(vectors?.waiting ?? 0, "skill")} without a vector yet: \`skillhold search --setup\` computes them`,
        ]
      : []),
    ...(reranker?.problem === undefined ? [] : [`ranked without the reranker: ${reranker.problem}`]),
  ];
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
    requires: entry.requiresSkills,
    name: entry.name,
    description: entry.description,
    snippet,
    source: entry.source,
    trust: entry.trust,
    path: entry.path,
    readiness: entry.readiness,
  };
}

async function printResults(
  io: Io,
  results: readonly SearchResult[],
  fits: boolean,
  rootFlags: string,
): Promise<void> {
  const paint = await paintFor(io.color);
  const fit = (text: string) => (io.isOutTty ? cutToWidth(text, io.columns - 5) : text);
  if (!fits) io.err("No skill clearly fits. These are the closest:\n");
  for (const [index, { entry, hit, snippet }] of results.entries()) {
    const rank = `${index + 1}.`.padStart(3);
    io.out(`${rank} ${paint.bold(entry.id)}  ${hit.score.toFixed(2)}  ${paint.dim(formatWhy(hit))}\n`);
    io.out(`    ${fit(neutralText(snippet))}\n`);
    if (hit.copies.length > 0) io.out(`    ${paint.dim(fit(formatCopies(hit.copies)))}\n`);
    if (entry.requiresSkills.length > 0)
      io.out(
        `    ${paint.dim(fit(`needs ${entry.requiresSkills.map((id) => neutralText(id, 64)).join(", ")}`))}\n`,
      );
  }
  io.err(`${count(results.length, "hit")}: run \`skillhold read <id>${rootFlags}\` to print one\n`);
}

function formatCopies(copies: readonly string[]): string {
  const others = count(copies.length, "more version");
  return `${others} of it: ${copies.map((id) => neutralText(id, 64)).join(", ")}`;
}

function printNothing(io: Io, query: string, searched: number, rootFlags: string): void {
  if (searched === 0) {
    io.err("No skills to search. Run `skillhold list` to see where it looked.\n");
    return;
  }
  io.err(`No match for ${plain(JSON.stringify(query))} in ${count(searched, "skill")}.\n`);
  io.err(`Run \`skillhold list${rootFlags}\` to see all skills, or add --root to search another folder.\n`);
}

function formatWhy({ matched, fields, isWeak, parts }: SearchResult["hit"]): string {
  const words =
    matched.length === 0
      ? parts.semantic > 0 && parts.trigram === 0
        ? "a similar meaning"
        : "a similar name"
      : matched.map((word) => neutralText(word, 40)).join(", ");
  const where = fields.length === 0 ? "" : ` in ${fields.join(", ")}`;
  return `${words}${where}${isWeak ? " (weak)" : ""}`;
}
