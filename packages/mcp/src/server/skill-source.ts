import { hash } from "node:crypto";
import { type Resource, ResourceNotFoundError } from "@modelcontextprotocol/server";
import {
  DIRECTORY_MIME_TYPE,
  type Skill,
  type SkillReadResult,
  type SkillSource,
} from "@modelcontextprotocol/server/ext/skills";
import { SkillError } from "@skillhold/protocol/error";
import type { McpConnection } from "./connection.ts";
import { orProtocolError } from "./failure.ts";
import { pageOf } from "./page.ts";
import type { ServedSkill } from "./served-skill.ts";
import { readAddress, type SkillAddress } from "./skill-address.ts";

/** How many skills are looked at for one page, and how many files are on one. */
const PAGE = 50;
const DIRECTORY_PAGE = 200;

/** The skills that a viewer sees, as the skills extension asks for them. Files are handed over by the session. */
export function skillSource(connection: McpConnection): SkillSource {
  return {
    list: ({ cursor }) => answered(connection, () => listServed(connection, cursor)),
    get: async (uri) => {
      const address = readAddress(uri);
      if (address?.path !== "SKILL.md") return undefined;
      return (await answered(connection, () => connection.findServed(address.id)))?.skill;
    },
    read: async (uri) => {
      const address = readAddress(uri);
      if (address === undefined) return undefined;
      return await answered(connection, () => readFile(connection, address));
    },
    readDirectory: async (uri, { cursor }) => {
      const address = readAddress(uri);
      if (address === undefined) return undefined;
      return await answered(connection, () => readDirectory(connection, address, cursor));
    },
  };
}

function answered<T>(connection: McpConnection, work: () => Promise<T>): Promise<T> {
  return orProtocolError(() => connection.occupy(work));
}

async function readDirectory(connection: McpConnection, address: SkillAddress, cursor: string | undefined) {
  const served = await connection.findServed(address.id);
  const children = served === undefined ? [] : childrenOf(served, address);
  if (children.length === 0) return undefined;
  const { items, nextCursor } = pageOf(children, cursor, DIRECTORY_PAGE, (child) => child.uri);
  return { resources: [...items], ...(nextCursor === undefined ? {} : { nextCursor }) };
}

/** One page of the skills that can be served; those that cannot leave no gap that a client could mistake for the end. */
export async function listServed(
  connection: McpConnection,
  cursor: string | undefined,
): Promise<{ skills: Skill[]; nextCursor?: string }> {
  const entries = await connection.listOwn();
  let from = cursor;
  for (;;) {
    const page = pageOf(entries, from, PAGE, ({ id }) => id);
    const found = await Promise.all(page.items.map(({ id }) => connection.findServed(id)));
    const skills = found.flatMap((served) => (served === undefined ? [] : [served.skill]));
    if (page.nextCursor === undefined) return { skills };
    if (skills.length > 0) return { skills, nextCursor: page.nextCursor };
    from = page.nextCursor;
  }
}

/** Recorded by the session before it is handed over, as everything is; what is refused is recorded, too. */
async function readFile(
  connection: McpConnection,
  address: SkillAddress,
): Promise<SkillReadResult | undefined> {
  const { id, path } = address;
  // To open a skill costs more than to read a file of it: the file itself tells that the skill is still the same.
  const last = connection.lastServed(id);
  const known = last === undefined ? undefined : await readServed(connection, last, address);
  if (known !== undefined) return known;
  const served = await connection.findServed(id);
  if (served === undefined) {
    await connection.refuse(id, path);
    return undefined;
  }
  if (served.files.some((file) => file.path === path)) {
    const read = await readServed(connection, served, address);
    if (read !== undefined) return read;
    throw new SkillError("IO_FAILED", `The skill ${id} changed while it was read.`);
  }
  if (childrenOf(served, address).length === 0) return undefined;
  throw new ResourceNotFoundError(`skill://${id}/${path}`, "It is a folder; read it as a directory.");
}

/** The file, or undefined when the skill has no such file or is another one by now. A file may be read in several parts. */
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

/** What was there before may be gone, or another's, by now. */
function ifGone(error: unknown): undefined {
  const isGone = error instanceof SkillError && /_NOT_FOUND$/.test(error.code);
  if (!isGone) throw error;
}

/** The files and folders right below a folder of a skill, ordered by address; none when it is no folder. */
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

/** `skill:`, nothing, and the id stand before the path. */
const SKILL_DEPTH = 3;

function mimeTypeOf(path: string): { readonly mimeType?: string } {
  return path.endsWith(".md") ? { mimeType: "text/markdown" } : {};
}

/** The skills that can be served, one page of them, as resources that a person may pick from. */
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
