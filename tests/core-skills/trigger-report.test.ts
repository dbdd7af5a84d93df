import { join } from "node:path";
import { type FolderLibrary, openLibrary } from "@skillhold/core/library";
import { nodeHost } from "@skillhold/core/source";
import { type OfflineReport, scoreOffline } from "@skillhold/eval";
import { afterAll, beforeAll, expect, test } from "vitest";

const skills = join(import.meta.dirname, "../../skills");
const viewer = { runtime: "test" };
let library: FolderLibrary;
let ids: readonly string[];

beforeAll(async () => {
  const source = { label: "core", kind: "builtin", trust: "builtin", root: skills } as const;
  library = await openLibrary({ sources: [source], host: nodeHost(process) });
  ids = (await library.list(viewer)).map(({ id }) => id);
});
afterAll(() => library.close());

test("every bundled skill has its real offline trigger report in its folder [S-51]", async () => {
  expect(ids.length).toBeGreaterThanOrEqual(5);
  for (const id of ids) {
    const report = await scoreOffline({ skill: id, treeHash: "", at: new Date() }, { library, viewer });
    if (report === undefined) throw new Error(`${id} has no trigger queries`);
    await expect(describeReport(report)).toMatchFileSnapshot(join(skills, id, "evals/trigger-report.md"));
  }
});

/** The report without time and tree hash: the file is part of the tree. */
function describeReport({ skill, skills, queries, ...figures }: OfflineReport): string {
  const missed = queries.filter(({ shouldTrigger, rank }) => (rank === 1) !== shouldTrigger);
  const rows = missed.map(({ query, shouldTrigger, rank, rival }) =>
    [shouldTrigger ? "yes" : "no", rank ?? "–", rival?.skill ?? "–", query.replaceAll("|", "\\|")].join(
      " | ",
    ),
  );
  const wanted = queries.filter(({ shouldTrigger }) => shouldTrigger).length;
  return [
    `# Trigger report of ${skill}`,
    "",
    `Runner: search without a model, among the ${skills} bundled skills. ${wanted} queries should trigger, ${queries.length - wanted} should not.`,
    "`skillhold eval triggers <folder> --offline` measures it again.",
    "",
    `- Ranked first: ${percent(figures.hitAt1)}`,
    `- Among the first three: ${percent(figures.hitAt3)}`,
    `- Ranked first for a query that should not trigger: ${percent(figures.falseFirst)}`,
    "",
    ...(rows.length === 0
      ? ["No query is ranked wrongly.", ""]
      : [
          "| should trigger | rank | best other skill | query |",
          "|---|---|---|---|",
          ...rows.map((row) => `| ${row} |`),
          "",
        ]),
    "Search ranks well and abstains badly: only a model shows which of the other requests trigger the skill.",
    "",
  ].join("\n");
}

function percent(interval: OfflineReport["hitAt1"]): string {
  if (interval === undefined) return "not measured";
  const { value, low, high } = interval;
  return `${Math.round(100 * value)} % (95 % interval ${Math.round(100 * low)} to ${Math.round(100 * high)})`;
}
