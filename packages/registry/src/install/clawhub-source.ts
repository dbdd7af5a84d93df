import { hash } from "node:crypto";
import type { MemoryTree } from "@skillhold/core/bundle";
import { SkillError } from "@skillhold/protocol/error";
import { z } from "zod";
import { clawhubFingerprint } from "../format/index.ts";
import { type NewFile, treeOfFiles } from "../release/stage.ts";
import { type Download, offer, readDownload } from "./download.ts";
import { parseJson } from "./fetcher/index.ts";
import { gitSource } from "./git/git-source.ts";
import type { InstallSource, OfferedSkill, Resolved, SkillOrigin, SourcePorts } from "./source.ts";
import type { ClawhubSpec, SkillsShSpec } from "./source-spec.ts";
import { wrongDigest } from "./web-source.ts";

const SITE = "https://clawhub.ai";

const text = z.string().max(4096);
const Moderation = z.looseObject({
  isSuspicious: z.boolean().optional(),
  isMalwareBlocked: z.boolean().optional(),
  verdict: text.nullish(),
  reasonCodes: z.array(text).max(100).nullish(),
  engineVersion: text.nullish(),
  summary: text.nullish(),
});
type Moderation = z.infer<typeof Moderation>;

const SkillAnswer = z.looseObject({
  skill: z.looseObject({ slug: text }).nullish(),
  latestVersion: z.looseObject({ version: text }).nullish(),
  owner: z.looseObject({ handle: text.nullish() }).nullish(),
  moderation: Moderation.nullish(),
});
const VersionAnswer = z.looseObject({
  version: z.looseObject({
    version: text,
    createdAt: z.number().optional(),
    files: z.array(z.looseObject({ path: z.string().max(512), sha256: z.string() })).max(2000),
  }),
});
/** The registry hands over to a commit of a repository instead of sending an archive. */
const HandOff = z.looseObject({
  repo: z.string().regex(/^[\w.-]+\/[\w.-]+$/),
  commit: z.string().regex(/^[0-9a-f]{40}$/),
  path: z.string().max(512).nullish(),
  contentHash: z.string().regex(/^(?:sha256:)?[0-9a-f]{64}$/),
});
const InstallAnswer = z.looseObject({
  ok: z.boolean(),
  github: HandOff.optional(),
  message: text.optional(),
});

/** A skill of ClawHub: every file is compared with the digest that the registry announces for it. */
export const clawhubSource: InstallSource<ClawhubSpec> = {
  resolve: async (spec, ports) => {
    const base = await findRegistry(ports);
    const owner = spec.owner === undefined ? "" : `?ownerHandle=${encodeURIComponent(spec.owner)}`;
    const at = `${base}/api/v1/skills/${encodeURIComponent(spec.slug)}`;
    const skill = SkillAnswer.safeParse(await ports.fetcher.json(`${at}${owner}`)).data;
    if (skill?.skill === null || skill?.skill === undefined) throw notThere(spec.slug, base);
    rejectMalware(spec.slug, skill.moderation);
    const wanted = spec.version ?? skill.latestVersion?.version;
    if (wanted === undefined) throw notThere(spec.slug, base);
    const answer = await ports.fetcher.json(`${at}/versions/${encodeURIComponent(wanted)}${owner}`);
    const { data } = VersionAnswer.safeParse(answer);
    if (data === undefined)
      throw new SkillError("REMOTE_FAILED", `${base} does not describe ${spec.slug} ${wanted}.`);
    const { version } = data;
    const download = await fetchVersion(base, spec, version.version, ports);
    if ("resolved" in download) return download.resolved;
    const files = verifyFiles(spec.slug, download.tree, version.files);
    const handle = skill.owner?.handle ?? spec.owner;
    const origin: SkillOrigin = {
      source: "clawhub",
      origin: handle === undefined ? spec.slug : `@${handle}/${spec.slug}`,
      originUrl: base,
      spec: handle === undefined ? `clawhub:${spec.slug}` : `clawhub:@${handle}/${spec.slug}`,
      publisher: `${new URL(base).host}/${handle ?? ""}`,
      release: version.version,
      archiveDigest: download.digest,
      digests: { fingerprint: clawhubFingerprint(files), ...verdictOf(skill.moderation) },
      verified: "digest",
      ...(version.createdAt === undefined ? {} : { releasedAt: new Date(version.createdAt).toISOString() }),
      warnings: warningsOf(skill.moderation),
    };
    const offered: OfferedSkill = { name: spec.slug, path: "." };
    return offer({ tree: treeOfFiles(files, ports.limits) }, [offered], () => origin);
  },
};

/** A skill that ClawHub lists from skills.sh. The skill is in a repository, at a commit that the registry names. */
export const skillsShSource: InstallSource<SkillsShSpec> = {
  resolve: async ({ owner, repo, slug }, ports) => {
    const base = await findRegistry(ports);
    const url = `${base}/api/v1/skills-sh/${owner}/${repo}/${slug}/install`;
    const { bytes } = await ports.fetcher.fetch(url, {
      maxBytes: 1024 * 1024,
      accepts: [403, 409, 410, 423],
    });
    const { data } = InstallAnswer.safeParse(parseJson(bytes, url));
    if (data?.ok !== true || data.github === undefined)
      throw new SkillError(
        "POLICY_DENIED",
        `${base} does not offer ${owner}/${repo}/${slug}: ${data?.message ?? "no reason given"}.`,
      );
    return await resolveHandOff(data.github, `skills-sh:${owner}/${repo}/${slug}`, ports);
  },
};

/** The address of the registry's API. */
export async function findRegistry({
  fetcher,
  settings,
}: Pick<SourcePorts, "fetcher" | "settings">): Promise<string> {
  if (settings.clawhubRegistry !== undefined) return settings.clawhubRegistry.replace(/\/+$/, "");
  const answer = await fetcher.fetch(`${SITE}/.well-known/clawhub.json`, {
    maxBytes: 65_536,
    accepts: [404],
  });
  if (answer.status !== 200) return SITE;
  const Site = z.looseObject({ apiBase: z.url().optional(), registry: z.url().optional() });
  const { data } = Site.safeParse(parseJson(answer.bytes, answer.url));
  return (data?.apiBase ?? data?.registry ?? SITE).replace(/\/+$/, "");
}

type FetchedVersion = Download | { readonly resolved: Resolved };

async function fetchVersion(
  base: string,
  { slug, owner }: ClawhubSpec,
  version: string,
  ports: SourcePorts,
): Promise<FetchedVersion> {
  const query = new URLSearchParams({
    slug,
    version,
    ...(owner === undefined ? {} : { ownerHandle: owner }),
  });
  const { bytes, headers, url } = await ports.fetcher.fetch(`${base}/api/v1/download?${query}`);
  if (!/json/.test(headers["content-type"] ?? "")) return await readDownload(bytes, ports);
  const { data } = HandOff.safeParse(parseJson(bytes, url));
  if (data === undefined) throw new SkillError("REMOTE_FAILED", `${base} sent no archive of ${slug}.`);
  return {
    resolved: await resolveHandOff(data, `clawhub:${owner === undefined ? "" : `@${owner}/`}${slug}`, ports),
  };
}

/** The content of the commit is compared with the hash that the registry scanned. */
async function resolveHandOff(
  handOff: z.infer<typeof HandOff>,
  spec: string,
  ports: SourcePorts,
): Promise<Resolved> {
  const { repo, commit, path, contentHash } = handOff;
  const below = path === null || path === undefined || path === "" || path === "." ? {} : { path };
  const url = `https://github.com/${repo}.git`;
  const resolved = await gitSource.resolve({ kind: "git", url, ref: commit, ...below }, ports);
  return {
    ...resolved,
    fetch: async (chosen) => {
      const fetched = await resolved.fetch(chosen);
      return fetched.map((skill) => {
        if ("error" in skill) return skill;
        if (skill.tree === undefined)
          throw new Error(`${skill.name} is not in memory, so its hash is unknown.`);
        const found = contentHashOf(skill.tree);
        if (found !== contentHash.replace(/^sha256:/, "")) throw wrongDigest(skill.name, contentHash, found);
        const { ref: _, ...origin } = skill.origin;
        const digests = { contentHash: found };
        return { ...skill, origin: { ...origin, source: "clawhub", spec, digests, verified: "digest" } };
      });
    },
  };
}

/** Files that the registry makes and adds to an archive. */
const ADDED: ReadonlySet<string> = new Set(["_meta.json", "skill-card.md"]);

/** The files of an archive, each with the announced digest, without missing or extra files. */
function verifyFiles(
  slug: string,
  tree: MemoryTree,
  announced: readonly { readonly path: string; readonly sha256: string }[],
): readonly NewFile[] {
  const expected = new Map(
    announced.map(({ path, sha256 }) => [path, sha256.replace(/^sha256:/, "").toLowerCase()]),
  );
  const files: NewFile[] = [];
  for (const { path, bytes: content, executable } of tree.files()) {
    const digest = expected.get(path);
    if (digest === undefined && ADDED.has(path)) continue;
    const found = hash("sha256", content, "hex");
    if (digest !== found) throw wrongDigest(`${slug}/${path}`, digest ?? "no such file", found);
    files.push({ path, content, executable });
    expected.delete(path);
  }
  const [missing] = expected.keys();
  if (missing !== undefined) throw wrongDigest(`${slug}/${missing}`, "a file", "none");
  return files;
}

function contentHashOf(tree: MemoryTree): string {
  const { compare } = new Intl.Collator("en");
  const lines = [...tree.files()]
    .filter(({ path }) => !path.split("/").some((part) => part.startsWith(".")))
    .toSorted((a, b) => compare(a.path, b.path))
    .map(({ path, bytes }) => `${path}\0${bytes.length}\0${hash("sha256", bytes, "hex")}`);
  return hash("sha256", lines.join("\n"), "hex");
}

function rejectMalware(slug: string, moderation: Moderation | null | undefined): void {
  if (moderation?.isMalwareBlocked !== true && moderation?.verdict !== "malicious") return;
  throw new SkillError(
    "POLICY_DENIED",
    `ClawHub blocks ${slug} as malware: ${moderation.summary ?? "no summary"}.`,
    {
      hint: "Do not install it. No option overrides this.",
      details: { reasons: moderation.reasonCodes ?? [] },
    },
  );
}

function warningsOf(moderation: Moderation | null | undefined): readonly string[] {
  if (moderation?.isSuspicious !== true && moderation?.verdict !== "suspicious") return [];
  const reasons = (moderation.reasonCodes ?? []).join(", ");
  return [
    `ClawHub marks it as suspicious${reasons && ` (${reasons})`}: ${moderation.summary ?? "no summary"}.`,
  ];
}

function verdictOf(moderation: Moderation | null | undefined): Readonly<Record<string, string>> {
  if (moderation?.verdict === null || moderation?.verdict === undefined) return {};
  return {
    verdict: moderation.verdict,
    ...(moderation.engineVersion ? { engine: moderation.engineVersion } : {}),
  };
}

function notThere(slug: string, base: string): SkillError {
  return new SkillError("SKILL_NOT_FOUND", `${base} has no skill ${slug}.`, {
    hint: "Check the owner and the slug; `skillhold search --catalog clawhub` finds them.",
  });
}
