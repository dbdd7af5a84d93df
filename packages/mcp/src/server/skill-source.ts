import { hash } from "node:crypto";
import { type Resource, ResourceNotFoundError } from "@modelcontextprotocol/server";
import {
  DIRECTORY_MIME_TYPE,
  type Skill,
  type SkillReadResult,
  type SkillSource,
} from "@modelcontextprotocol/server/ext/skills";
import { SkillError } from "@skillhold/protocol/error";
import { isSkillId } from "@skillhold/skill";
import type { McpConnection } from "./connection.ts";
import { orProtocolError } from "./failure.ts";
import { pageAfter } from "./page.ts";
import type { ServedSkill } from "./served-skill.ts";

/** The skills that are checked for one page. */
const PAGE_SIZE = 50;
/** The files of one directory page. */
const DIRECTORY_PAGE_SIZE = 200;

/** The visible skills as a source of the skills extension. The session reads the files and records each read. */
export function skillSource(connected: Promise<McpConnection>): SkillSource {
  return {
    list: ({ cursor }) => withErrors(connected, (connection) => listServed(connection, cursor)),
    get: async (uri) => {
      const address = readAddress(uri);
      if (address?.path !== "SKILL.md") return undefined;
      return (await withErrors(connected, (connection) => connection.findServed(address.id)))?.skill;
    },
    read: async (uri) => {
      const address = readAddress(uri);
      if (address === undefined) return undefined;
      return await withErrors(connected, (connection) => readFile(connection, address));
    },
    readDirectory: async (uri, { cursor }) => {
      const address = readAddress(uri);
      if (address === undefined) return undefined;
      return await withErrors(connected, (connection) => readDirectory(connection, address, cursor));
    },
  };
}

function withErrors<T>(
  connected: Promise<McpConnection>,
  work: (connection: McpConnection) => Promise<T>,
): Promise<T> {
  return orProtocolError(async () => {
    const connection = await connected;
    return await connection.occupy(() => work(connection));
  });
}

async function readDirectory(connection: McpConnection, address: SkillAddress, cursor: string | undefined) {
  const served = await connection.findServed(address.id);
  const children = served === undefined ? [] : childrenOf(served, address);
  if (children.length === 0) return undefined;
  const { items, nextCursor } = pageAfter(children, cursor, DIRECTORY_PAGE_SIZE, (child) => child.uri);
  return { resources: [...items], ...(nextCursor === undefined ? {} : { nextCursor }) };
}

/** One page of servable skills. A page is empty only at the end, since clients may stop at an empty page. */
export async function listServed(
  connection: McpConnection,
  cursor: string | undefined,
): Promise<{ skills: Skill[]; nextCursor?: string }> {
  const entries = await connection.listOwn();
  let from = cursor;
  for (;;) {
    const page = pageAfter(entries, from, PAGE_SIZE, ({ id }) => id);
    const candidates = await Promise.all(page.items.map(({ id }) => connection.findServed(id)));
    const skills = candidates.flatMap((served) => (served === undefined ? [] : [served.skill]));
    if (page.nextCursor === undefined) return { skills };
    if (skills.length > 0) return { skills, nextCursor: page.nextCursor };
    from = page.nextCursor;
  }
}

/** Reads a file through the session, which records the read or its denial first. */
async function readFile(
  connection: McpConnection,
  address: SkillAddress,
): Promise<SkillReadResult | undefined> {
  const { id, path } = address;
  // Opening a skill costs more than reading a file, and the tree hash of the file shows whether the skill changed.
  const last = connection.lastServed(id);
  const cached = last === undefined ? undefined : await readServed(connection, last, address);
  if (cached !== undefined) return cached;
  const served = await connection.findServed(id);
  if (served === undefined) {
    await connection.recordDenied(id, path);
    return undefined;
  }
  if (served.files.some((file) => file.path === path)) {
    const read = await readServed(connection, served, address);
    if (read !== undefined) return read;
    throw new SkillError("IO_FAILED", `The skill ${id} changed while it was read.`);
  }
  if (childrenOf(served, address).length === 0) return undefined;
  throw new ResourceNotFoundError(`skill://${id}/${path}`, "The URI names a folder. Read it as a directory.");
}

/** Reads a file, if needed in several parts; undefined when it is missing or the skill changed. */
async function readServed(
  { session }: McpConnection,
  { treeHash, files }: ServedSkill,
  { id, path }: SkillAddress,
): Promise<SkillReadResult | undefined> {
  const file = files.find((each) => each.path === path);
  if (file === undefined) return undefined;
  const parts: Buffer[] = [];
  let [start, isText, mimeType] = [0, true, ""];
  for (;;) {
    const part = await session.resource(id, path, { start }).catch(ifGone);
    if (part?.treeHash !== treeHash) return undefined;
    parts.push(Buffer.from(part.content, part.encoding));
    isText &&= part.encoding === "utf-8";
    if (start === 0 || !isText) mimeType = part.mimeType;
    start += part.length;
    if (!part.hasMore || part.length === 0) break;
  }
  const bytes = Buffer.concat(parts);
  if (`sha256:${hash("sha256", bytes, "hex")}` !== file.digest) return undefined;
  return isText ? { text: bytes.toString(), mimeType } : { bytes, mimeType };
}

/** The skill may be gone or hidden by now. */
function ifGone(error: unknown): undefined {
  const isGone = error instanceof SkillError && /_NOT_FOUND$/.test(error.code);
  if (!isGone) throw error;
}

/** The direct children of a folder of a skill, ordered by URI; empty when it is no folder. */
function childrenOf({ files }: ServedSkill, { path: folder }: SkillAddress): readonly Resource[] {
  const prefix = folder === "" ? "" : `${folder}/`;
  const depth = SKILL_DEPTH + prefix.split("/").length;
  const children = new Map<string, Resource>();
  for (const { path, uri, size } of files) {
    if (!path.startsWith(prefix)) continue;
    const [name = "", ...below] = path.slice(prefix.length).split("/");
    const child = uri.split("/").slice(0, depth).join("/");
    if (below.length > 0) children.set(child, { uri: child, name, mimeType: DIRECTORY_MIME_TYPE });
    else children.set(child, { uri: child, name, size, ...mimeTypeOf(path) });
  }
  return [...children.values()].sort((a, b) => (a.uri < b.uri ? -1 : 1));
}

/** The parts of a URI before the path: `skill:`, an empty part and the id. */
const SKILL_DEPTH = 3;

function mimeTypeOf(path: string): { readonly mimeType?: string } {
  return path.endsWith(".md") ? { mimeType: "text/markdown" } : {};
}

/** One page of servable skills as resources. */
export async function listResources(
  connection: McpConnection,
  cursor: string | undefined,
): Promise<{ resources: Resource[]; nextCursor?: string }> {
  const { skills, nextCursor } = await listServed(connection, cursor);
  const resources = skills.map(({ uri, frontmatter, resources: files }) => {
    const size = files === "dynamic" ? undefined : files.find((file) => file.uri === uri)?.size;
    const { name, description } = frontmatter;
    return { uri, name, description, mimeType: "text/markdown", ...(size === undefined ? {} : { size }) };
  });
  return { resources, ...(nextCursor === undefined ? {} : { nextCursor }) };
}

/** A parsed `skill://` URI: a skill, and a path in its folder, which is empty for the folder itself. */
export interface SkillAddress {
  readonly id: string;
  readonly path: string;
}

/** Undefined for a URI that names no file or folder of a skill. */
export function readAddress(text: string): SkillAddress | undefined {
  const url = URL.parse(text);
  if (url === null || url.protocol !== "skill:" || url.search !== "" || url.hash !== "") return undefined;
  if (url.username !== "" || url.password !== "" || url.port !== "" || !isSkillId(url.hostname))
    return undefined;
  const segments = url.pathname.split("/").slice(1);
  if (segments.length === 0) return { id: url.hostname, path: "" };
  const names = segments.map(decodeSegment);
  const plain = names.filter((name) => name !== undefined);
  if (plain.length < names.length) return undefined;
  return { id: url.hostname, path: plain.join("/") };
}

/** The decoded name; undefined when it is empty or would change the path. */
function decodeSegment(segment: string): string | undefined {
  try {
    const name = decodeURIComponent(segment);
    const isName = name !== "" && name !== "." && name !== ".." && !/[/\\\0]/.test(name);
    return isName ? name : undefined;
  } catch {
    // The percent encoding is invalid.
    return undefined;
  }
}
