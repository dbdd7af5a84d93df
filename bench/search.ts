import { resolve } from "node:path";
import { type MemoryLibrary, openMemoryLibrary } from "@skillhold/core/library";
import type { Embedder } from "@skillhold/core/search";
import { findLocalModel, LocalEmbedder } from "@skillhold/core/semantic";
import { sessionCatalogue } from "@skillhold/core/session";
import { nodeHost } from "@skillhold/core/source";
import { withLimits } from "@skillhold/protocol/limits";
import { type LabeledQuery, type RetrievalSet, readRetrievalSet, readTriggerSet } from "./retrieval-set.ts";

const root = resolve(import.meta.dirname, "..");
const shared = resolve(root, "../shared");
const viewer = { runtime: "bench" };
const WANTED = ["should-trigger", "eval-prompt"];
const UNWANTED = "should-not-trigger";
const DEPTH = 40;

/**
 * Finds the skill for prompts that authors wrote, and prints how often it is found.
 * Options: `--corpus <folder>` is another set of the same format, `--distractors <folder>` adds skills to find it among,
 * and `--model <folder>` is where the packages of a local embedder are installed.
 */
export async function benchSearch(args: readonly string[] = []): Promise<void> {
  const corpus = optionOf(args, "corpus") ?? resolve(shared, "retrieval-dev");
  const distractors = [
    resolve(shared, "corpus/text"),
    ...args.flatMap((arg, at) => (arg === "--distractors" ? [args[at + 1] ?? ""] : [])),
  ];
  const model = findLocalModel([optionOf(args, "model") ?? root]);
  const embedder = model && new LocalEmbedder(model);
  if (embedder === undefined)
    console.log(
      "search: no local model is installed, and --model <folder> names none: words alone are measured",
    );
  const sets = {
    "authors' prompts": readRetrievalSet(corpus, distractors),
    "bundled skills": readTriggerSet(resolve(root, "skills"), distractors),
  };
  for (const [name, set] of Object.entries(sets)) {
    await measure(`${name}, words`, set, undefined);
    if (embedder !== undefined) await measure(`${name}, words + ${embedder.id}`, set, embedder);
  }
  await embedder?.close();
}

async function measure(
  name: string,
  { skills, queries }: RetrievalSet,
  embedder: Embedder | undefined,
): Promise<void> {
  if (queries.length === 0) {
    console.log(`search: ${name}: there are no queries`);
    return;
  }
  const limits = withLimits({ searchHits: DEPTH });
  const host = nodeHost({ env: {}, platform: "linux", cwd: "/" });
  const models = { embedder, clock: { now: () => new Date() } };
  const library = openMemoryLibrary(skills, { host, limits, models });
  const { vectors } = await library.prepareSearch();
  if (vectors?.problem !== undefined) console.log(`search: ${name}: ${vectors.problem}`);
  try {
    const labels = [...new Set(queries.map(({ label }) => label))].filter((label) => WANTED.includes(label));
    for (const label of labels)
      await report(
        `${name}, ${label}`,
        queries.filter((query) => query.label === label),
        library,
      );
    await reportFit(name, queries, library);
  } finally {
    await library.close();
  }
}

async function report(name: string, queries: readonly LabeledQuery[], library: MemoryLibrary): Promise<void> {
  const ranks: number[] = [];
  let listed = 0;
  for (const { query, wanted } of queries) {
    const results = await library.search(viewer, query, { limit: DEPTH });
    ranks.push(results.findIndex(({ entry }) => wanted.includes(entry.id)));
    const { inline } = await sessionCatalogue({ task: query }, { limits: withLimits({}) }, viewer, library);
    if (wanted.some((id) => inline.includes(id))) listed += 1;
  }
  const within = (depth: number) =>
    shareOf(ranks.filter((rank) => rank >= 0 && rank < depth).length, ranks.length);
  console.log(
    `search: ${name} (${queries.length} among ${(await library.list(viewer)).length}): Hit@1 ${within(1)}, ` +
      `Hit@5 ${within(5)}, R@10 ${within(10)}, R@40 ${within(40)}, catalogue@40 ${shareOf(listed, ranks.length)}`,
  );
}

/** A query that no skill fits should have no strong hit, and a query that one fits should. */
async function reportFit(
  name: string,
  queries: readonly LabeledQuery[],
  library: MemoryLibrary,
): Promise<void> {
  const strong = async (
    asked: readonly LabeledQuery[],
    isRight: (query: LabeledQuery, id: string) => boolean,
  ) => {
    let count = 0;
    for (const query of asked) {
      const [first] = await library.search(viewer, query.query, { limit: 1 });
      if (first !== undefined && !first.hit.isWeak && isRight(query, first.entry.id)) count += 1;
    }
    return `${shareOf(count, asked.length)} (${count} of ${asked.length})`;
  };
  const fitting = queries.filter(({ label }) => WANTED.includes(label));
  const others = queries.filter(({ label }) => label === UNWANTED);
  console.log(
    `search: ${name}: strong first hit for queries that fit ${await strong(fitting, () => true)}, ` +
      `for queries that do not ${await strong(others, () => true)}, ` +
      `of these the excluded skill ${await strong(others, ({ wanted }, id) => wanted.includes(id))}`,
  );
}

function shareOf(count: number, all: number): string {
  return all === 0 ? "–" : ((100 * count) / all).toFixed(1);
}

function optionOf(args: readonly string[], name: string): string | undefined {
  const at = args.indexOf(`--${name}`);
  return at === -1 ? undefined : args[at + 1];
}
