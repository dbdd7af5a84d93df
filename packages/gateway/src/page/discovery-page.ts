import { SkillError } from "@skillhold/protocol/error";
import { isFresh } from "../http/condition.ts";
import { inParts } from "../http/in-parts.ts";
import { always } from "../http/respond.ts";
import { fileReply } from "../route/file-answer.ts";
import { isLarge } from "../route/large-file.ts";
import { readBytes } from "../route/skill-content.ts";
import type { RunningContext } from "../running-context.ts";
import { writeIndex, writeLegacyIndex } from "./discovery-index.ts";
import type { Page, PageCall } from "./page.ts";
import { listPublic, type PublicSkill, packPublic, readPublic } from "./public-skill.ts";

/**
 * Where clients look for the skills of a host: public ones, for anyone, when the gateway is told to. The first is
 * version 0.2 of the format, with archives; the second 0.1, file by file.
 */
export const discoveryPages: readonly Page[] = [
  page("/.well-known/agent-skills/:path{.+}", answerCurrent),
  page("/.well-known/skills/:path{.+}", answerLegacy),
];

interface PageContent {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly etag: string;
  readonly headers?: Readonly<Record<string, string>>;
}

type Answer = (path: string, context: RunningContext) => Promise<PageContent | undefined>;

function page(path: Page["path"], answer: Answer): Page {
  const isForAnyOrigin = true;
  return {
    path,
    isForAnyOrigin,
    answer: async ({ params, request, requestId }, context) => {
      const { isDiscoverable } = context.options;
      const found = isDiscoverable ? await answer(params["path"] ?? "", context) : undefined;
      if (found === undefined) throw new SkillError("ROUTE_NOT_FOUND", "There is no such route.");
      return respond(found, { request, requestId });
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
  const question = {
    operation: "discovery",
    principal: undefined,
    params: { format },
    isSure: true,
  } as const;
  const { json, etag } = await context.answers.get(question, async () => {
    return { data: await write(context), note: undefined };
  });
  const bytes = typeof json === "string" ? new TextEncoder().encode(json) : json;
  return { bytes, type: "application/json", etag };
}

/** All who have no token share what one may have under way. */
const ANYONE = "anyone";

async function archiveOf(id: string, context: RunningContext): Promise<PageContent | undefined> {
  const skill = await findPublic(id, context);
  if (skill === undefined) return undefined;
  const pack = async () => await packPublic(skill, await readPublic(skill), context);
  const { bytes, digest } = await context.gates.heavy.pass(ANYONE, pack);
  return { bytes, type: "application/gzip", etag: digest };
}

/** The path is one of the list, character for character, or there is no such file. */
async function fileOf(id: string, path: string, context: RunningContext): Promise<PageContent | undefined> {
  const skill = await findPublic(id, context);
  if (skill === undefined) return undefined;
  const file = (await readPublic(skill)).files.find((each) => each.path === path);
  if (file === undefined) return undefined;
  const read = () => readBytes(skill, file, context);
  const bytes = isLarge(file) ? await context.gates.heavy.pass(ANYONE, read) : await read();
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

function respond(
  { bytes, type, etag, headers = {} }: PageContent,
  { request, requestId }: Pick<PageCall, "request" | "requestId">,
): Response {
  const all = {
    ...always,
    // It is asked for again each time: what is public today may not be tomorrow.
    "cache-control": "public, no-cache",
    "access-control-allow-origin": "*",
    "cross-origin-resource-policy": "cross-origin",
    "x-request-id": requestId,
    etag: `"${etag}"`,
  };
  if (isFresh(request.headers, etag)) return new Response(null, { status: 304, headers: all });
  const length = String(bytes.length);
  return new Response(inParts(bytes), {
    headers: { ...all, ...headers, "content-type": type, "content-length": length },
  });
}
