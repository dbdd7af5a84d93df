import { defaultLimits, type Limits, type SkillEntry } from "@skillhold/protocol";
import { estimateTokens } from "@skillhold/skill";
import { neutralText } from "../text/neutral.ts";
import { fitItems, type Line, skillTokens } from "./budget.ts";
import { type CatalogueFormat, formatForModel } from "./format.ts";
import { catalogueItem } from "./item.ts";
import { jsonLayout } from "./json.ts";
import type { Layout, Page } from "./layout.ts";
import { markdownLayout } from "./markdown.ts";
import { type Candidate, selectEntries } from "./order.ts";
import { defaultPreamble, deferredNote, onlyNote } from "./wording.ts";
import { attributeLayout, nestedLayout } from "./xml.ts";

/** Level 1 of disclosure: the description of the available skills for one agent. */
export interface Catalogue {
  readonly text: string;
  readonly format: CatalogueFormat;
  readonly tokens: number;
  /** Ids of the skills in the text, in its order. */
  readonly inline: readonly string[];
  /** How many more there are; the text says so. */
  readonly deferred: number;
  /** Their ids, sorted. Pinned skills are cut last. */
  readonly leftOut: readonly string[];
  /** Ids of the skills in the text whose descriptions were cut or omitted. */
  readonly shortened: readonly string[];
  /** True when the budget neither left a skill out nor cut a description. */
  readonly isComplete: boolean;
}

export interface CatalogueOptions {
  /** Without it, the model decides. */
  readonly format?: CatalogueFormat;
  readonly model?: string;
  readonly limits?: CatalogueLimits;
  /** Ids that stay inline before all others, in this order. */
  readonly pinned?: readonly string[];
  /**
   * Id to score, higher is better, as a search for the task gives it. It decides what an incomplete catalogue shows;
   * a complete one is the same for every task, which keeps a prompt cache warm.
   */
  readonly rank?: ReadonlyMap<string, number>;
  /**
   * Includes skill paths in `xml` and `json`, only for an agent that reads files of this machine: every path, or the
   * folders by id.
   */
  readonly locations?: boolean | ReadonlyMap<string, string>;
  /** The operator's text before the list, used verbatim; empty to omit it. */
  readonly preamble?: string;
  readonly readTool?: string;
  readonly searchTool?: string;
}

export type CatalogueLimits = Pick<
  Limits,
  "catalogueSkills" | "catalogueTokens" | "catalogueDescriptionLength" | "nameLength" | "descriptionLength"
>;

/**
 * Writes the catalogue of the skills that an agent may see. Contract: the access gate has chosen the entries, and
 * the limits are in their range. The text never costs more than the budget; for no skills it is empty.
 */
export function renderCatalogue(entries: readonly SkillEntry[], options: CatalogueOptions = {}): Catalogue {
  const plan = makePlan(options);
  if (entries.length === 0)
    return finishCatalogue(plan.format, entries, { text: "", inline: [], shortened: [], isComplete: true });
  return renderWhole(entries, plan) ?? renderPart(entries, plan);
}

interface Plan {
  readonly format: CatalogueFormat;
  readonly layout: Layout;
  readonly limits: CatalogueLimits;
  readonly pinned: readonly string[];
  readonly rank: ReadonlyMap<string, number>;
  readonly locations: boolean | ReadonlyMap<string, string>;
  readonly preamble: string;
  readonly readTool: string;
  readonly searchTool: string;
}

function makePlan(options: CatalogueOptions): Plan {
  const format = options.format ?? formatForModel(options.model);
  const readTool = neutralText(options.readTool ?? "read_skill", 64);
  return {
    format,
    layout: layouts[format],
    limits: options.limits ?? defaultLimits,
    pinned: options.pinned ?? [],
    rank: options.rank ?? new Map(),
    locations: options.locations ?? false,
    preamble: options.preamble ?? defaultPreamble(format, readTool),
    readTool,
    searchTool: neutralText(options.searchTool ?? "search_skills", 64),
  };
}

/** All skills with their whole descriptions, if that keeps to the budget. */
function renderWhole(entries: readonly SkillEntry[], plan: Plan): Catalogue | undefined {
  const { layout, limits, preamble, readTool } = plan;
  if (entries.length > limits.catalogueSkills) return undefined;
  const candidates = selectEntries(entries, entries.length, { pinned: plan.pinned, rank: new Map() });
  const items = candidates.map(({ entry }) => catalogueItem(entry, plan));
  if (items.reduce((total, item) => total + skillTokens(item), 0) > limits.catalogueTokens) return undefined;
  const text = layout.page({ preamble, items: items.map((item) => layout.item(item)), note: "", readTool });
  if (estimateTokens(text) > limits.catalogueTokens) return undefined;
  const inline = items.map(({ id }) => id);
  return finishCatalogue(plan.format, entries, { text, inline, shortened: [], isComplete: true });
}

/** The pinned and the best skills, and how many more there are. */
function renderPart(entries: readonly SkillEntry[], plan: Plan): Catalogue {
  const { layout, limits, searchTool } = plan;
  const candidates = selectEntries(entries, limits.catalogueSkills, plan);
  const longest = deferredNote(entries.length, searchTool);
  const notes = candidates.length < entries.length ? [longest] : ["", longest];
  // A preamble that leaves no room for a single skill gives way.
  const frames = [plan.preamble, ""].flatMap((preamble) => notes.map((note) => ({ preamble, note })));
  for (const { preamble, note } of frames) {
    const lines = fillFrame(candidates, { preamble, note, items: [""], readTool: plan.readTool }, plan);
    const deferred = entries.length - lines.length;
    if (lines.length === 0 || (deferred > 0 && note === "")) continue;
    const text = layout.page({
      preamble,
      items: lines.map(({ text }) => text),
      note: deferred > 0 ? deferredNote(deferred, searchTool) : "",
      readTool: plan.readTool,
    });
    const inline = lines.map(({ item }) => item.id);
    const shortened = lines.filter(({ isShortened }) => isShortened).map(({ item }) => item.id);
    return finishCatalogue(plan.format, entries, { text, inline, shortened, isComplete: false });
  }
  const note = onlyNote(entries.length, searchTool);
  const text = layout.page({ preamble: "", items: [], note, readTool: plan.readTool });
  return finishCatalogue(plan.format, entries, { text, inline: [], shortened: [], isComplete: false });
}

/** The lines that fit beside everything else on a page. */
function fillFrame(candidates: readonly Candidate[], frame: Page, plan: Plan): readonly Line[] {
  const { layout, limits } = plan;
  return fitItems({
    items: candidates.map(({ entry }) => catalogueItem(entry, plan)),
    pinned: candidates.filter(({ pin }) => Number.isFinite(pin)).length,
    room: limits.catalogueTokens - estimateTokens(layout.page(frame)),
    descriptionLength: limits.catalogueDescriptionLength,
    layout,
  });
}

/** Adds the fields that follow from the text and its skills. */
export function finishCatalogue(
  format: CatalogueFormat,
  entries: readonly SkillEntry[],
  rendered: Omit<Catalogue, "format" | "tokens" | "deferred" | "leftOut">,
): Catalogue {
  const shown = new Set(rendered.inline);
  const leftOut = entries.flatMap(({ id }) => (shown.has(id) ? [] : [id as string])).sort();
  const cost = { format, tokens: estimateTokens(rendered.text) };
  return { ...rendered, ...cost, deferred: leftOut.length, leftOut };
}

const layouts: Readonly<Record<CatalogueFormat, Layout>> = {
  xml: nestedLayout,
  "xml-attr": attributeLayout,
  markdown: markdownLayout,
  json: jsonLayout,
};
