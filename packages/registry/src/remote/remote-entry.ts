import type { Access, Explanation, SearchResult } from "@skillhold/core/library";
import { type SearchField, searchFields } from "@skillhold/core/search";
import type { SkillEntry } from "@skillhold/protocol";
import type { SkillRow } from "@skillhold/protocol/http";
import type { Limits } from "@skillhold/protocol/limits";
import { type FrontmatterMap, type Host, readinessOf, readOpenclaw } from "@skillhold/skill";
import type { AnswerOf, GatewayClient } from "./gateway-client.ts";
import { badAnswer, remoteFailed } from "./remote-failure.ts";
import type { ViewerQuery } from "./viewer-query.ts";

/** The properties of a gateway that its responses cannot change. */
export interface RemoteSource {
  /** The source label, chosen by the host. */
  readonly label: string;
  /** The base URL of the routes. */
  readonly base: URL;
  readonly host: Host;
  /** False for a layer: beside skills of another registry, the numbers of this one would name their revisions. */
  readonly hasRevisions: boolean;
}

/**
 * The local entry of a gateway skill: with the host's label, third-party trust and the readiness of this
 * machine. Undefined if the gateway hides the skill from the viewer.
 */
export function toRemoteEntry(
  { entry, access }: SkillRow,
  { label, base, host, hasRevisions }: RemoteSource,
): SkillEntry | undefined {
  if (!access.isVisible) return undefined;
  const { id, requires, revision, file: _, ...fields } = entry;
  // JSON values are valid frontmatter values.
  const { os } = readOpenclaw({ metadata: fields.metadata as FrontmatterMap });
  return {
    ...fields,
    id,
    requires,
    ...(hasRevisions && revision !== undefined ? { revision } : {}),
    source: label,
    trust: "third_party",
    path: new URL(`./v1/skills/${id}`, base).href,
    readiness: readinessOf({ requires, os }, host, id),
  };
}

type HitRow = AnswerOf<"searchSkills">["hits"][number];

/** A search hit of a gateway. `isThere` filters the copies that the viewer can see. */
export function toResult(
  { hit, snippet }: HitRow,
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
        excluded: part("excluded"),
        semantic: part("semantic"),
        prior: part("prior"),
        rerank: part("rerank"),
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

type ExplanationRow = AnswerOf<"explainAll">["explanations"][number];

const reasons: ReadonlySet<string> = new Set<Explanation["reason"]>([
  "visible",
  "not-allowed",
  "disabled",
  "archived",
  "no-grant",
  "pin",
  "runtime",
  "unsupported",
  "user-only",
  "model-only",
  "shadowed",
  "invalid",
]);

const PAGE = "1000";

/** All explanations of a gateway, read page by page up to the limit for skills. */
export async function listExplanations(
  viewer: ViewerQuery,
  { client, limits }: { readonly client: GatewayClient; readonly limits: Pick<Limits, "remoteSkills"> },
): Promise<readonly ExplanationRow[]> {
  const all: ExplanationRow[] = [];
  for (let cursor: string | undefined; ; ) {
    const query = { ...viewer, limit: PAGE, cursor };
    const { explanations, nextCursor } = (await client.ask("explainAll", { query })).data;
    all.push(...explanations);
    if (all.length > limits.remoteSkills)
      throw remoteFailed(
        `The gateway ${client.address} explains more than ${limits.remoteSkills} skills (remoteSkills).`,
        { hint: "Use an agent with access to fewer skills, or raise the limit." },
      );
    if (nextCursor === undefined) return all;
    if (explanations.length === 0) throw badAnswer(client.address, "a page without skills.");
    cursor = nextCursor;
  }
}

/** The gateway's explanation, combined with the local access decision for skills that are visible there. */
export function toExplanation(row: ExplanationRow, source: string, access: Access | undefined): Explanation {
  const { state, message, warnings } = row;
  const common = { id: row.id, path: row.path, source };
  if (state !== "visible") return { ...common, state, reason: reasonOf(row), message, warnings };
  if (access === undefined || access.isVisible)
    return { ...common, state, reason: "visible", message, warnings: access?.warnings ?? warnings };
  const { reason, message: why } = access;
  return { ...common, state: "hidden", reason, message: why, warnings: access.warnings };
}

/** A newer gateway may send an unknown reason; its message explains it. */
function reasonOf({ state, reason }: ExplanationRow): Explanation["reason"] {
  // Checked by `has`.
  if (reasons.has(reason)) return reason as Explanation["reason"];
  return state === "shadowed" || state === "invalid" ? state : "not-allowed";
}
