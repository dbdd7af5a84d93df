import { SearchIndex } from "@skillhold/core/search";
import { SkillError } from "@skillhold/protocol/error";
import { z } from "zod";
import { findRegistry } from "./clawhub-source.ts";
import type { SourcePorts } from "./source.ts";
import { fetchIndex } from "./web-source.ts";

/** A skill that a catalog offers. Texts are the catalog's own. */
export interface CatalogHit {
  readonly name: string;
  readonly description: string;
  /** The argument of `install`. */
  readonly source: string;
  readonly version?: string | undefined;
  readonly score: number;
  /** The catalog's own word on safety, where it has one. */
  readonly verdict?: string | undefined;
}

type CatalogPorts = Pick<SourcePorts, "fetcher" | "settings">;

/** Searches ClawHub, or the discovery index of a website. No skill is fetched. */
export async function searchCatalog(
  catalog: string,
  query: string,
  limit: number,
  ports: CatalogPorts,
): Promise<readonly CatalogHit[]> {
  if (catalog === "clawhub") return await searchClawhub(await findRegistry(ports), query, limit, ports);
  if (!/^https?:\/\/[^@\s]+$/.test(catalog) || !URL.canParse(catalog))
    throw new SkillError("USAGE", `${JSON.stringify(catalog.slice(0, 80))} is not a catalog.`, {
      hint: "Name clawhub, or a website such as https://example.org.",
    });
  const found = await fetchIndex(catalog, ports);
  if (found === undefined)
    throw new SkillError("PATH_NOT_FOUND", `${new URL(catalog).origin} has no discovery index.`, {
      hint: "Name a website with /.well-known/agent-skills/index.json. For a registry like ClawHub, add --registry.",
    });
  return searchIndex(found.value, catalog, query, limit);
}

const text = z.string().max(4096);
const ClawhubAnswer = z.looseObject({ results: z.array(z.unknown()).max(1000) });
const ClawhubResult = z.looseObject({
  slug: z.string().regex(/^[\w.-]{1,128}$/),
  ownerHandle: z
    .string()
    .regex(/^[\w.-]{1,128}$/)
    .nullish(),
  displayName: text.nullish(),
  summary: text.nullish(),
  version: text.nullish(),
  score: z.number().nullish(),
  source: text.nullish(),
  install: z.looseObject({ reference: text.nullish() }).nullish(),
  trust: z.looseObject({ verdict: text.nullish(), label: text.nullish() }).nullish(),
});

async function searchClawhub(
  base: string,
  query: string,
  limit: number,
  { fetcher }: CatalogPorts,
): Promise<readonly CatalogHit[]> {
  const asked = new URLSearchParams({ q: query, limit: String(limit) });
  const { data } = ClawhubAnswer.safeParse(await fetcher.json(`${base}/api/v1/search?${asked}`));
  if (data === undefined)
    throw new SkillError("REMOTE_FAILED", `${base} did not answer with search results.`);
  const results = data.results.flatMap((each) => ClawhubResult.safeParse(each).data ?? []);
  return results.slice(0, limit).map((result) => ({
    name: result.displayName ?? result.slug,
    description: result.summary ?? "",
    source: referenceOf(result),
    version: result.version ?? undefined,
    score: result.score ?? 0,
    verdict: result.trust?.verdict ?? result.trust?.label ?? undefined,
  }));
}

function referenceOf({ slug, ownerHandle, source, install }: z.infer<typeof ClawhubResult>): string {
  const reference = install?.reference ?? "";
  if (source === "skills-sh" && /^(?:skills-sh:)?[\w.-]+\/[\w.-]+\/[\w.-]+$/.test(reference))
    return reference.startsWith("skills-sh:") ? reference : `skills-sh:${reference}`;
  return ownerHandle ? `clawhub:@${ownerHandle}/${slug}` : `clawhub:${slug}`;
}

const IndexEntry = z.looseObject({
  name: z.string().regex(/^[\w.-]{1,128}$/),
  description: z.string().max(4096).default(""),
});

/** An index has no search of its own, so that its entries are ranked here as skills are. */
function searchIndex(value: unknown, url: string, query: string, limit: number): readonly CatalogHit[] {
  const { data } = z.looseObject({ skills: z.array(z.unknown()).max(10_000) }).safeParse(value);
  if (data === undefined) throw new SkillError("REMOTE_FAILED", `The index of ${url} lists no skills.`);
  const entries = new Map(
    data.skills.flatMap((each) => {
      const entry = IndexEntry.safeParse(each).data;
      return entry === undefined ? [] : [[entry.name, entry] as const];
    }),
  );
  const index = SearchIndex.empty();
  for (const { name, description } of entries.values())
    index.upsert({ id: name, key: name, name, description, tags: [], body: "" });
  return index.search(query, { limit }).flatMap(({ id, score }) => {
    const entry = entries.get(id);
    return entry === undefined
      ? []
      : [{ name: entry.name, description: entry.description, source: `${url} --skill ${entry.name}`, score }];
  });
}
