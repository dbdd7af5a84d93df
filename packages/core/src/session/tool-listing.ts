import type { SkillEntry } from "@skillhold/protocol";
import { neutralText } from "../catalogue/index.ts";
import { originMark } from "./origin-mark.ts";
import type { Session } from "./session.ts";
import { succeed, type ToolResult } from "./tool-result.ts";
import { disarmTags } from "./wrap.ts";

/** A skill as the tools that list and search show it. */
export interface SkillItem {
  readonly id: string;
  readonly description: string;
  readonly tags: readonly string[];
  /** The source, of a skill that another program serves. */
  readonly origin?: string;
  /** Only when the skill is not ready. */
  readonly readiness?: string;
  /** Text around what a search matched. */
  readonly snippet?: string;
}

export interface Listing {
  readonly skills: readonly SkillItem[];
  /** How many more there are than are listed. */
  readonly more: number;
}

export interface ListQuery {
  readonly query?: string | undefined;
  readonly tag?: string | undefined;
}

/** Skills whose id, name or tags hold the query, then those that a search for it finds. */
export async function listSkills(
  session: Session,
  { query = "", tag }: ListQuery,
): Promise<ToolResult<Listing>> {
  const visible = (await session.list()).filter((entry) => tag === undefined || hasTag(entry, tag));
  const wanted = query.trim().toLowerCase();
  const named = visible.filter((entry) => namesOf(entry).some((name) => name.includes(wanted)));
  const results = wanted === "" ? [] : await session.search(query, session.limits.searchHits);
  const found = results
    .map(({ entry }) => entry)
    .filter((entry) => tag === undefined || hasTag(entry, tag))
    .filter(({ id }) => !named.some((entry) => entry.id === id));
  return listing(
    [...named, ...found].map((entry) => itemOf(entry, session)),
    session,
  );
}

export async function searchSkills(
  session: Session,
  query: string,
  limit?: number,
): Promise<ToolResult<Listing>> {
  const results = await session.search(query, Math.min(limit ?? 5, session.limits.searchHits));
  const items = results.map(({ entry, snippet }) => ({
    ...itemOf(entry, session),
    ...(snippet === "" ? {} : { snippet: shown(snippet, session) }),
  }));
  return listing(items, session);
}

function listing(items: readonly SkillItem[], session: Session): ToolResult<Listing> {
  const skills = items.slice(0, session.limits.catalogueSkills);
  const more = items.length - skills.length;
  const rest = more === 0 ? [] : [`${more} more skills are not listed: narrow the list by a query or a tag.`];
  const lines = skills.length === 0 ? ["No skills were found."] : skills.map((item) => lineOf(item));
  return succeed([...lines, ...rest].join("\n"), { skills, more });
}

function lineOf({ id, description, tags, origin, readiness, snippet }: SkillItem): string {
  const notes = [
    ...(origin === undefined ? [] : [`from ${neutralText(origin, 64)}`]),
    ...(tags.length === 0 ? [] : [`tags: ${tags.join(", ")}`]),
    ...(readiness === undefined ? [] : [`not ready: ${readiness}`]),
  ];
  const around = snippet === undefined || description.includes(snippet) ? "" : `\n  … ${snippet}`;
  return `- ${id}: ${description}${notes.length === 0 ? "" : ` (${notes.join("; ")})`}${around}`;
}

function itemOf(entry: SkillEntry, session: Session): SkillItem {
  const { id, description, tags, readiness } = entry;
  return {
    id,
    description: shown(description, session),
    tags: tags.slice(0, MOST_TAGS).map((tag) => disarmTags(neutralText(tag, 32))),
    ...originMark(entry),
    ...(readiness.state === "ready" ? {} : { readiness: readiness.state }),
  };
}

const MOST_TAGS = 10;

function shown(text: string, session: Session): string {
  return disarmTags(neutralText(text, session.limits.catalogueDescriptionLength));
}

function namesOf({ id, name, tags }: SkillEntry): readonly string[] {
  return [id, name, ...tags].map((text) => text.toLowerCase());
}

function hasTag({ tags }: SkillEntry, tag: string): boolean {
  return tags.some((each) => each.toLowerCase() === tag.trim().toLowerCase());
}
