import type { SkillContent, Viewer } from "@skillhold/core/library";
import type { SkillEntry } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { SkillSnapshot } from "@skillhold/registry/library";
import type { PackedSkill } from "../cache/content-cache.ts";
import { isFresh } from "../http/condition.ts";
import { inChunks, securityHeaders } from "../http/response.ts";
import type { Artifact, RunningContext } from "../running-context.ts";
import { fileReply } from "../skill/file-response.ts";
import { isLarge, packFiles, type ReadableSkill, readFileBytes } from "../skill/skill-content.ts";
import type { GatewayPage, PageCall } from "./page.ts";

/**
 * The public skills of this host for discovery clients, when the gateway is discoverable. The first page is version 0.2 of
 * the format, with archives; the second is version 0.1, file by file.
 */
export const discoveryPages: readonly GatewayPage[] = [
  page("/.well-known/agent-skills/:path{.+}", answerCurrent),
  page("/.well-known/skills/:path{.+}", answerLegacy),
];

interface PageContent {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly etag: string;
  readonly headers?: Readonly<Record<string, string>>;
}

type ContentFinder = (path: string, context: RunningContext) => Promise<PageContent | undefined>;

function page(path: GatewayPage["path"], find: ContentFinder): GatewayPage {
  const isForAnyOrigin = true;
  return {
    path,
    isForAnyOrigin,
    answer: async ({ params, request, requestId }, context) => {
      const { isDiscoverable } = context.options;
      const content = isDiscoverable ? await find(params["path"] ?? "", context) : undefined;
      if (content === undefined) throw new SkillError("ROUTE_NOT_FOUND", "There is no such route.");
      return pageResponse(content, { request, requestId });
    },
  };
}

async function answerCurrent(path: string, context: RunningContext): Promise<PageContent | undefined> {
  if (path === "index.json") return await indexOf("0.2", writeIndex, context);
  const archive = /^([a-z0-9-]{1,64})\.tar\.gz$/.exec(path)?.[1];
  if (archive !== undefined) return await archiveOf(archive, context);
  const text = /^([a-z0-9-]{1,64})\/SKILL\.md$/.exec(path)?.[1];
  return text === undefined ? undefined : await fileOf(text, "SKILL.md", context);
}

async function answerLegacy(path: string, context: RunningContext): Promise<PageContent | undefined> {
  if (path === "index.json") return await indexOf("0.1", writeLegacyIndex, context);
  const [, id, file] = /^([a-z0-9-]{1,64})\/(.+)$/s.exec(path) ?? [];
  return id === undefined || file === undefined ? undefined : await fileOf(id, file, context);
}

async function indexOf(
  format: string,
  write: (context: RunningContext) => Promise<object>,
  context: RunningContext,
): Promise<PageContent> {
  const request = {
    operation: "discovery",
    principal: undefined,
    params: { format },
    isStrict: true,
  } as const;
  const { json, etag } = await context.responses.get(request, async () => {
    return { data: await write(context), extra: undefined };
  });
  const bytes = typeof json === "string" ? new TextEncoder().encode(json) : json;
  return { bytes, type: "application/json", etag };
}

const SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
/** The number of skills that are read at once. */
const BATCH_SIZE = 8;
/** The longest description that the format allows. */
const MAX_DESCRIPTION = 1024;

/** The index of version 0.2. */
async function writeIndex(context: RunningContext): Promise<object> {
  const skills = await describeAll(context, ({ entry }, { type, digest }) => ({
    name: entry.id,
    type,
    description: descriptionOf(entry),
    url: type === "skill-md" ? `${entry.id}/SKILL.md` : `${entry.id}.tar.gz`,
    digest,
  }));
  return { $schema: SCHEMA, skills };
}

/** The index of version 0.1. Its clients reject the whole index for one path with two dots, so such skills are left out. */
async function writeLegacyIndex(context: RunningContext): Promise<object> {
  const skills = await describeAll(context, ({ entry }, { paths }) =>
    paths.some((path) => path.includes(".."))
      ? undefined
      : { name: entry.id, description: descriptionOf(entry), files: paths },
  );
  return { skills };
}

async function describeAll<T>(
  context: RunningContext,
  describe: (skill: PublicSkill, artifact: Artifact) => T | undefined,
): Promise<readonly T[]> {
  const skills = (await listPublic(context)).filter(({ entry }) => entry.description !== "");
  const described: T[] = [];
  for (let start = 0; start < skills.length; start += BATCH_SIZE) {
    const batch = skills.slice(start, start + BATCH_SIZE).map(async (skill) => {
      return describe(skill, await artifactOf(skill, context));
    });
    described.push(...(await Promise.all(batch)).filter((each) => each !== undefined));
  }
  return described;
}

function descriptionOf({ description }: PublicSkill["entry"]): string {
  return description.slice(0, MAX_DESCRIPTION).toWellFormed();
}

/** All clients without a token share one limit of expensive work. */
const ANONYMOUS = "anyone";

async function archiveOf(id: string, context: RunningContext): Promise<PageContent | undefined> {
  const skill = await findPublic(id, context);
  if (skill === undefined) return undefined;
  const pack = async () => await packPublic(skill, await readPublic(skill, context), context);
  const { bytes, digest } = await context.gates.heavy.pass(ANONYMOUS, pack);
  return { bytes, type: "application/gzip", etag: digest };
}

/** The path must equal a listed path exactly. */
async function fileOf(id: string, path: string, context: RunningContext): Promise<PageContent | undefined> {
  const skill = await findPublic(id, context);
  if (skill === undefined) return undefined;
  const file = (await readPublic(skill, context)).files.find((each) => each.path === path);
  if (file === undefined) return undefined;
  const read = () => readFileBytes(skill, file, context);
  const bytes = isLarge(file) ? await context.gates.heavy.pass(ANONYMOUS, read) : await read();
  const { type, headers = {} } = fileReply(path, bytes, file.digest);
  return { bytes, type: isMarkdown(path, type) ? MARKDOWN : type, etag: file.digest, headers };
}

const MARKDOWN = "text/markdown; charset=utf-8";

function isMarkdown(path: string, type: string): boolean {
  return path.endsWith(".md") && type.startsWith("text/plain");
}

async function findPublic(id: string, context: RunningContext): Promise<PublicSkill | undefined> {
  return (await listPublic(context, [id]))[0];
}

function pageResponse(
  { bytes, type, etag, headers = {} }: PageContent,
  { request, requestId }: Pick<PageCall, "request" | "requestId">,
): Response {
  const all = {
    ...securityHeaders,
    // Caches must revalidate, because a public skill can become private.
    "cache-control": "public, no-cache",
    "access-control-allow-origin": "*",
    "cross-origin-resource-policy": "cross-origin",
    "x-request-id": requestId,
    etag: `"${etag}"`,
  };
  if (isFresh(request.headers, etag)) return new Response(null, { status: 304, headers: all });
  const length = String(bytes.length);
  return new Response(inChunks(bytes), {
    headers: { ...all, ...headers, "content-type": type, "content-length": length },
  });
}

/** A skill that anyone may download. */
interface PublicSkill extends ReadableSkill {
  readonly entry: SkillEntry;
  readonly held: SkillSnapshot;
}

/** A viewer without user, agent and grants. */
const anonymous: Viewer = { runtime: "skillhold" };

/**
 * The skills of the registry that their owners made public: enabled, active and in their current revision. Skills in
 * folders are never public.
 */
async function listPublic(
  { skills }: Pick<RunningContext, "skills">,
  ids?: readonly string[],
): Promise<readonly PublicSkill[]> {
  return (await skills.survey(anonymous, ids)).flatMap((access) => {
    const held = skills.findSnapshot(access.entry);
    if (held === undefined || !access.isVisible) return [];
    const { visibility, isEnabled, status, revision } = held.current.skill;
    const isPublic = visibility === "public" && isEnabled && status === "active";
    if (!isPublic || access.entry.revision !== revision) return [];
    return [{ entry: access.entry, access, held, viewer: anonymous, from: "skills" }];
  });
}

/** Reads the files and the tree hash of one state. */
async function readPublic(
  { entry, viewer }: PublicSkill,
  { skills }: Pick<RunningContext, "skills">,
): Promise<SkillContent> {
  return await skills.read(viewer, entry.id, { hasFolder: false });
}

/** Artifacts are cached by tree hash. */
async function artifactOf(skill: PublicSkill, context: RunningContext): Promise<Artifact> {
  const { treeHash } = skill.entry;
  const cached = treeHash === undefined ? undefined : context.artifacts.get(treeHash);
  if (cached !== undefined) return cached;
  const content = await readPublic(skill, context);
  const artifact = await buildArtifact(skill, content, context);
  context.artifacts.set(content.treeHash, artifact);
  return artifact;
}

async function buildArtifact(
  skill: PublicSkill,
  content: SkillContent,
  context: RunningContext,
): Promise<Artifact> {
  const paths = content.files.map(({ path }) => path);
  const [only] = content.files;
  if (paths.length === 1 && only?.path === "SKILL.md")
    return { type: "skill-md", digest: only.digest, paths };
  const { digest } = await packPublic(skill, content, context);
  return { type: "archive", digest, paths };
}

async function packPublic(
  skill: PublicSkill,
  { files, treeHash }: SkillContent,
  context: RunningContext,
): Promise<PackedSkill> {
  return await context.archives.get(treeHash, "tar.gz", () => packFiles(skill, files, context));
}
