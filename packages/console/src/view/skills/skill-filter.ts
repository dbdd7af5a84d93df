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
  readonly order: Order;
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
}

/** The matching rows in the requested order. */
export function filterRows(
  rows: readonly SkillRow[],
  state: ListState,
  { scores, uses }: Ranks,
): readonly SkillRow[] {
  const words = state.words.trim().toLowerCase();
  const { health } = state;
  const fitting = rows.filter(
    (row) =>
      isInTab(row, state.tab) &&
      (!isHealth(health) || healthTable[health].fits(row)) &&
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
