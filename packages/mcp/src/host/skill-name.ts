import { folderId, isSkillId } from "@skillhold/skill";
import type { SkillUri } from "./skill-uri.ts";

/**
 * The ids of a server's skills, by the keys of their addresses. Of several with one name the one with the shortest
 * address has it, and the others have as much of their addresses before it as tells them apart. One that nothing
 * tells apart has none.
 */
export function nameSkills(uris: readonly SkillUri[]): ReadonlyMap<string, string> {
  const named = new Map<string, string>();
  const taken = new Set<string>();
  const later: SkillUri[] = [];
  for (const uri of uris.toSorted(compareLength)) {
    if (taken.has(uri.name)) later.push(uri);
    else named.set(uri.key, uri.name);
    taken.add(uri.name);
  }
  for (const uri of later) {
    const id = idsOf(uri).find((each) => isSkillId(each) && !taken.has(each));
    if (id === undefined) continue;
    named.set(uri.key, id);
    taken.add(id);
  }
  return named;
}

/** Longer and longer ends of the address, as ids. */
function idsOf({ key }: SkillUri): readonly string[] {
  const segments = segmentsOf(key);
  const ends = segments.slice(0, -1).map((_, at) => segments.slice(-2 - at));
  return ends.map((end) => folderId(end.join("-")).id);
}

/** Of `scheme://first/…/name/SKILL.md`, those from the first to the name, decoded. */
function segmentsOf(key: string): readonly string[] {
  return key.split("/").slice(2, -1).map(decodeURIComponent);
}

function compareLength(a: SkillUri, b: SkillUri): number {
  return segmentsOf(a.key).length - segmentsOf(b.key).length || (a.key < b.key ? -1 : 1);
}
