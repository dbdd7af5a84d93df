import type { SkillEntry } from "@skillhold/protocol";
import { neutralText } from "../catalogue/index.ts";
import { originMark } from "../source/origin.ts";
import type { Session } from "./session.ts";
import { succeedTool, type ToolResult } from "./tool-result.ts";
import { disarmTags } from "./wrap.ts";

/** A skill in the results of list_skills and search_skills. */
export interface SkillItem {
  readonly id: string;
  readonly description: string;
  readonly tags: readonly string[];
  /** The source of a skill from another server. */
  readonly origin?: string;
  /** Set only when the skill is not ready. */
  readonly readiness?: string;
  /** Text around the search match. */
  readonly snippet?: string;
}

export interface SkillListing {
  readonly skills: readonly SkillItem[];
  /** The number of skills that are not listed. */
  readonly more: number;
}

export interface ListQuery {
  readonly query?: string | undefined;
  readonly tag?: string | undefined;
}

/** Skills whose id, name or tags contain the query, then search results. */
export async function listSkillItems(
  session: Session,
  { query = "", tag }: ListQuery,
): Promise<ToolResult<SkillListing>> {
  const visible = (await session.list()).filter((entry) => tag === undefined || hasTag(entry, tag));
  const wanted = query.trim().toLowerCase();
  const named = visible.filter((entry) => namesOf(entry).some((name) => name.includes(wanted)));
  const results = wanted === "" ? [] : await session.search(query, session.limits.searchHits);
  const searched = results
    .map(({ entry }) => entry)
    .filter((entry) => tag === undefined || hasTag(entry, tag))
    .filter(({ id }) => !named.some((entry) => entry.id === id));
  return listing(
    [...named, ...searched].map((entry) => itemOf(entry, session)),
    session,
  );
}

export async function searchSkillItems(
  session: Session,
  query: string,
  limit?: number,
): Promise<ToolResult<SkillListing>> {
  const results = await session.search(query, Math.min(limit ?? 5, session.limits.searchHits));
  const items = results.map(({ entry, snippet }) => ({
    ...itemOf(entry, session),
    ...(snippet === "" ? {} : { snippet: shown(snippet, session) }),
  }));
  return listing(items, session);
}

function listing(items: readonly SkillItem[], session: Session): ToolResult<SkillListing> {
  const skills = items.slice(0, session.limits.catalogueSkills);
  const more = items.length - skills.length;
  const rest =
    more === 0 ? [] : [`${more} more skills are not listed. Narrow the list with a query or a tag.`];
  const lines = skills.length === 0 ? ["No skills were found."] : skills.map((item) => lineOf(item));
  return succeedTool([...lines, ...rest].join("\n"), { skills, more });
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
