import type { SearchResult } from "@skillhold/core/library";
import { type SearchField, searchFields } from "@skillhold/core/search";
import type { SkillEntry } from "@skillhold/protocol";
import type { AnswerOf } from "./gateway-client.ts";

type Told = AnswerOf<"searchSkills">["hits"][number];

/** A hit as a gateway tells it. `isThere` says which other skills there are for the one who asks. */
export function toResult(
  { hit, snippet }: Told,
  entry: SkillEntry,
  isThere: (id: string) => boolean,
): SearchResult {
  const { score, parts, matched, fields, isWeak, copies } = hit;
  const part = (name: string) => parts[name] ?? 0;
  return {
    entry,
    hit: {
      id: entry.id,
      score,
      parts: {
        bm25: part("bm25"),
        coverage: part("coverage"),
        name: part("name"),
        trigram: part("trigram"),
      },
      matched,
      fields: fields.filter(isField),
      isWeak,
      copies: copies.filter(isThere),
    },
    snippet,
  };
}

function isField(name: string): name is SearchField {
  return searchFields.some((field) => field === name);
}
