import type { SkillRow } from "@skillhold/protocol/http";
import { healthTable, isHealth } from "./health.ts";

export const tabs = ["all", "core", "custom"] as const;
export type Tab = (typeof tabs)[number];
/** The order of a search is "best" unless the address names another. */
export const orders = ["best", "name", "updated", "used"] as const;
export type Order = (typeof orders)[number];

/** The list state in the address. */
export interface ListState {
  readonly tab: Tab;
  readonly health: string | null;
  readonly words: string;
  readonly tag: string | null;
  readonly owner: string | null;
  readonly source: string | null;
  /** Only skills that this agent can use. */
  readonly agent: string | null;
  readonly trust: string | null;
  readonly readiness: string | null;
  readonly order: Order;
}

/** The filters by one fact of a skill, with the value of that fact. */
export const factFilters = {
  owner: { title: "Owner", all: "All owners", valueOf: ({ registry }) => registry?.owner },
  source: { title: "Source", all: "All sources", valueOf: ({ entry }) => entry.source },
  trust: { title: "Trust", all: "Any trust", valueOf: ({ entry }) => entry.trust },
  readiness: { title: "Readiness", all: "Any readiness", valueOf: ({ entry }) => entry.readiness.state },
} as const satisfies Readonly<Record<string, FactFilter>>;
export type FactName = keyof typeof factFilters;

interface FactFilter {
  readonly title: string;
  readonly all: string;
  readonly valueOf: (row: SkillRow) => string | undefined;
}

/** The values of a fact among the skills, sorted; the chosen one is included even when no skill has it. */
export function valuesOf(
  rows: readonly SkillRow[],
  name: FactName,
  chosen: string | null,
): readonly string[] {
  const values = rows.flatMap((row) => factFilters[name].valueOf(row) ?? []);
  return [...new Set([...values, ...(chosen === null ? [] : [chosen])])].toSorted();
}

function hasFacts(row: SkillRow, state: ListState): boolean {
  // The keys of the table are its names.
  return (Object.keys(factFilters) as FactName[]).every(
    (name) => state[name] === null || factFilters[name].valueOf(row) === state[name],
  );
}

export function readState(search: URLSearchParams): ListState {
  const words = search.get("q") ?? "";
  const order = orders.find((each) => each === search.get("order"));
  const hasWords = words.trim() !== "";
  return {
    tab: tabs.find((tab) => tab === search.get("tab")) ?? "all",
    health: search.get("health"),
    words,
    tag: search.get("tag"),
    owner: search.get("owner"),
    source: search.get("source"),
    agent: search.get("agent"),
    trust: search.get("trust"),
    readiness: search.get("readiness"),
    order: order === undefined || (order === "best" && !hasWords) ? (hasWords ? "best" : "name") : order,
  };
}

export function isInTab({ registry }: SkillRow, tab: Tab): boolean {
  return tab === "all" || (tab === "core") === (registry?.system === true);
}

export interface Ranks {
  /** How well skills fit the words, by id. */
  readonly scores: ReadonlyMap<string, number>;
  readonly uses: ReadonlyMap<string, number>;
  /** The skills that the chosen agent can use; undefined without a choice. */
  readonly usable?: ReadonlySet<string> | undefined;
}

/** The matching rows in the requested order. */
export function filterRows(
  rows: readonly SkillRow[],
  state: ListState,
  { scores, uses, usable }: Ranks,
): readonly SkillRow[] {
  const words = state.words.trim().toLowerCase();
  const { health } = state;
  const fitting = rows.filter(
    (row) =>
      isInTab(row, state.tab) &&
      (!isHealth(health) || healthTable[health].fits(row)) &&
      hasFacts(row, state) &&
      (usable === undefined || usable.has(row.entry.id)) &&
      (state.tag === null || row.entry.tags.includes(state.tag)) &&
      (words === "" || scores.has(row.entry.id) || namesOf(row).some((name) => name.includes(words))),
  );
  const scoreOf = ({ entry }: SkillRow) => scores.get(entry.id) ?? 0;
  const usesOf = ({ entry }: SkillRow) => uses.get(entry.id) ?? 0;
  const timeOf = ({ registry, entry }: SkillRow) => registry?.updatedAt ?? entry.lastModified;
  if (state.order === "best") return fitting.toSorted((a, b) => scoreOf(b) - scoreOf(a));
  if (state.order === "used") return fitting.toSorted((a, b) => usesOf(b) - usesOf(a));
  if (state.order === "updated") return fitting.toSorted((a, b) => (timeOf(a) < timeOf(b) ? 1 : -1));
  return fitting;
}

/** The number of skills per tag; the chosen tag is included even when no skill has it. */
export function countTags(
  rows: readonly SkillRow[],
  chosen: string | null,
): readonly (readonly [string, number])[] {
  const numbers = new Map<string, number>(chosen === null ? [] : [[chosen, 0]]);
  for (const tag of rows.flatMap(({ entry }) => entry.tags)) numbers.set(tag, (numbers.get(tag) ?? 0) + 1);
  return [...numbers].toSorted(([a], [b]) => a.localeCompare(b, "en"));
}

function namesOf({ entry }: SkillRow): readonly string[] {
  return [entry.id, entry.name, ...entry.tags].map((name) => name.toLowerCase());
}
