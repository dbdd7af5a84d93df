import { basename } from "node:path";
import type { Explanation } from "@skillhold/core/library";
import { openSession, systemPorts } from "@skillhold/core/session";
import { sourceRank } from "@skillhold/core/source";
import { neutralText } from "@skillhold/core/text";
import { shortPath } from "@skillhold/host/place";
import { STORE_LABEL } from "@skillhold/host/store";
import { trustReasons } from "@skillhold/protocol";
import { folderId } from "@skillhold/skill";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { unknownSkill } from "../../get-entry.ts";
import { type Opened, withLibrary } from "../../open.ts";
import { formatProblems, listProblems, type SearchProblem, toolsOnlyOf } from "../../search-problem.ts";
import { depsOption, readingOptions, roleOption } from "../../shared-option.ts";
import { type ExitCode, type Io, plain, printData } from "../../terminal/output.ts";
import { formatTable } from "../../terminal/table.ts";
import { count, paintFor } from "../../terminal/text.ts";
import type { DependencyMark } from "./dependency-mark.ts";

const optionSpecs = [
  depsOption,
  roleOption("act as this role; an admin sees the skills of every user"),
  ...readingOptions,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [{ usage: "[id]", summary: "explain this id only" }],
  options: optionSpecs,
  examples: ["explain", "explain pdf --agent writer --runtime claude-code"],
  run,
});

/** Prints every candidate and why it is visible to the viewer or not. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, args } = input;
  const [id] = args;
  return await withLibrary<ExitCode>(input, async (opened) => {
    const { found, unnamed } = await explainAll(opened, id);
    const problems = listProblems(opened);
    const tools = toolsOnlyOf(problems).filter(
      ({ path }) => id === undefined || folderId(basename(path)).id === id,
    );
    if (id !== undefined && found.length + tools.length === 0) throw await unknownSkill(opened, id);
    const places = id === undefined ? [] : rankPlaces(id, found, opened);
    const ordered = id === undefined ? found : inOrder(found, places);
    const candidates =
      input.options["deps"] === true ? await withDependencies(ordered, opened, input) : ordered;
    const { viewer, precedence } = opened;
    const sources = opened.sources.map(({ label, kind, trust, root }) => ({ label, kind, trust, root }));
    const store = opened.store === undefined ? null : { label: STORE_LABEL, address: opened.store.address };
    const mcp = opened.mcp.map(({ library }) => serverOf(library.state()));
    if (io.json) {
      printData(io, { viewer, precedence, sources, store, mcp, candidates, unnamed, problems });
      return 0;
    }
    if (id === undefined) await printAll(io, candidates);
    else await printOne(io, candidates, places, opened);
    printToolsOnly(io, tools);
    io.err(formatUnnamed(unnamed));
    const unlisted = problems.filter(({ reason }) => reason !== "tools-only");
    io.err(formatProblems(unlisted, opened.rootFlags));
    return 0;
  });
}

/** The state of one MCP server among the sources. */
function serverOf({
  source,
  problem,
  skills,
  refused,
}: ReturnType<Opened["mcp"][number]["library"]["state"]>) {
  return { source, skills, refused: refused.length, problem: problem?.message ?? null };
}

function printToolsOnly(io: Io, tools: readonly SearchProblem[]): void {
  for (const { path, source, message } of tools)
    io.out(`${plain(shortPath(io, path))} (${plain(source)}): ${plain(message)}\n`);
}

function formatUnnamed(unnamed: number): string {
  if (unnamed === 0) return "";
  return `${count(unnamed, "skill")} of other users not shown: add --role admin to show all\n`;
}

interface Candidate extends Explanation {
  /** Whether the skill is in the prompt or found by search only; null when the viewer does not see it. */
  readonly prompt: "inline" | "search" | null;
  /** Present with `--deps`; null for a skill that cannot be loaded. */
  readonly dependencies?: DependencyMark | null;
}

interface Explained {
  readonly found: readonly Candidate[];
  /** How many candidates the user may not see; always 0 for a single id, which the count would disclose. */
  readonly unnamed: number;
}

async function explainAll(opened: Opened, id: string | undefined): Promise<Explained> {
  const session = await openSession(opened.library, opened.viewer, systemPorts());
  const inline = new Set((await session.catalogue()).inline);
  const all = await opened.library.explain(opened.viewer, id);
  const known = all.filter((each) => each.state === "visible" || opened.isDisclosed(each));
  const found = known.map((candidate): Candidate => {
    const isVisible = candidate.state === "visible";
    return { ...candidate, prompt: isVisible ? (inline.has(candidate.id) ? "inline" : "search") : null };
  });
  return { found, unnamed: id === undefined ? all.length - known.length : 0 };
}

/** Loads the dependency modules only for `--deps`. */
async function withDependencies(
  candidates: readonly Candidate[],
  opened: Opened,
  input: CommandInput,
): Promise<readonly Candidate[]> {
  const { markDependencies } = await import("./dependency-mark.ts");
  const loaded = candidates.filter(({ state }) => state !== "invalid");
  const marks = await markDependencies(input, opened, loaded);
  return candidates.map((candidate) => ({ ...candidate, dependencies: marks.get(candidate.path) ?? null }));
}

async function printAll(io: Io, candidates: readonly Candidate[]): Promise<void> {
  if (candidates.length === 0) {
    io.err("No candidates found. Run `skillhold list` to see where it looked.\n");
    return;
  }
  const paint = await paintFor(io.color);
  const columns = [
    { title: "STATE" },
    { title: "ID", most: 36 },
    { title: "SOURCE", most: 20 },
    { title: "WHY" },
  ];
  const rows = candidates.map((each) =>
    [each.state, each.id, each.source, explainInWords(each)].map((cell) => neutralText(cell)),
  );
  io.out(formatTable(columns, rows, { width: io.isOutTty ? io.columns : undefined, paintTitle: paint.dim }));
  io.err(`${summarize(candidates)}\n`);
}

/** A source in the order in which its skill of an id wins. */
interface Place {
  readonly label: string;
  readonly rank: number;
  readonly words: string;
}

/** A skill of the store ranks by its own kind and trust, and after folders of the same rank. */
function rankPlaces(
  id: string,
  candidates: readonly Candidate[],
  { sources, precedence, store }: Opened,
): readonly Place[] {
  const folders = sources.map(({ label, kind, trust }): Place => {
    const words = `${plain(label)} (${kind}, trust ${trust}: ${trustReasons[trust]})`;
    return { label, rank: sourceRank({ kind, trust }, precedence), words };
  });
  const view = store?.library.view();
  const trust = view?.find(id)?.trust;
  const isStored = candidates.some(({ source }) => source === STORE_LABEL);
  if (store === undefined || trust === undefined || !isStored) return folders;
  const kind = view?.kind(id) ?? "third_party";
  const words = `${STORE_LABEL} (${plain(store.address)}, trust ${trust}: ${trustReasons[trust]})`;
  const stored = { label: STORE_LABEL, rank: sourceRank({ kind, trust }, precedence), words };
  return [...folders, stored].sort((a, b) => a.rank - b.rank);
}

const stateOrder: readonly Candidate["state"][] = ["visible", "hidden", "shadowed", "invalid"];

/** The current skill first, then the shadowed ones as they would follow it. */
function inOrder(candidates: readonly Candidate[], places: readonly Place[]): readonly Candidate[] {
  const placeOf = ({ source }: Candidate) => {
    const index = places.findIndex(({ label }) => label === source);
    return index === -1 ? places.length : index;
  };
  const order = (each: Candidate) => stateOrder.indexOf(each.state) * (places.length + 1) + placeOf(each);
  return candidates.toSorted((a, b) => order(a) - order(b));
}

async function printOne(
  io: Io,
  candidates: readonly Candidate[],
  places: readonly Place[],
  { precedence, store, mcp }: Opened,
): Promise<void> {
  const paint = await paintFor(io.color);
  for (const each of candidates) {
    const { state, path, source } = each;
    io.out(`${paint.bold(state)} ${plain(shortPath(io, path))} ${paint.dim(`(${plain(source)})`)}\n`);
    io.out(`  ${neutralText(explainInWords(each))}\n`);
  }
  io.out(`Sources, highest precedence first (precedence ${precedence}):\n`);
  const found = new Set(candidates.map(({ source }) => source));
  const markOf = (label: string) => (found.has(label) ? ` ${paint.dim("← has it")}` : "");
  for (const [index, { label, words }] of places.entries())
    io.out(`  ${index + 1}. ${words}${markOf(label)}\n`);
  if (store !== undefined && !found.has(STORE_LABEL))
    io.out(`  ${STORE_LABEL} (${plain(store.address)}): each skill ranks by its trust\n`);
  for (const { library } of mcp) {
    const { source, problem } = library.state();
    const rank =
      problem === undefined ? "after the sources of this machine" : `skipped: ${plain(problem.message)}`;
    io.out(`  ${source} (mcp, trust third_party): ${rank}${markOf(source)}\n`);
  }
}

/** The state column already shows "visible", so a message that ends there adds no information. */
const ONLY_VISIBLE = /\bvisible\.$/i;

function explainInWords({ message, warnings, prompt, dependencies }: Candidate): string {
  const rule = ONLY_VISIBLE.test(message) ? "" : `${message} `;
  const where =
    prompt === null
      ? message
      : prompt === "inline"
        ? `${rule}In the prompt.`
        : `${rule}Over the prompt budget, found by search only.`;
  const missing = dependencies?.missing ?? [];
  const lacks = missing.length === 0 ? [] : [`missing: ${missing.join(", ")}`];
  const all = [...warnings, ...lacks];
  return all.length === 0 ? where : `${where} But ${all.join("; ")}.`;
}

function summarize(candidates: readonly Candidate[]): string {
  const counts = (["visible", "hidden", "shadowed", "invalid"] as const)
    .map((state) => [state, candidates.filter((each) => each.state === state).length] as const)
    .filter(([, number]) => number > 0);
  return counts.map(([state, number]) => `${number} ${state}`).join(", ");
}
