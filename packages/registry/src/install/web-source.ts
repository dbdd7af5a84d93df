import { normalizeRelative } from "@skillhold/core/bundle";
import { Digest, SkillId } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { z } from "zod";
import { type NewFile, treeOfFiles } from "../release/stage.ts";
import { offer, readDownload, sha256 } from "./download.ts";
import { parseJson } from "./fetcher/index.ts";
import {
  type FetchedSkill,
  type InstallSource,
  type OfferedSkill,
  orRefused,
  type RefusedSkill,
  type Resolved,
  type SkillOrigin,
  type SourcePorts,
} from "./source.ts";
import type { WebSpec } from "./source-spec.ts";

/** Skills that a website announces in a discovery index, or one file that it serves. */
export const webSource: InstallSource<WebSpec> = {
  resolve: async ({ kind, url }, ports) => {
    if (kind === "download") return await resolveDownload(url, ports);
    return (await findIndex(url, ports)) ?? (await resolveDownload(url, ports));
  },
};

async function resolveDownload(url: string, ports: SourcePorts): Promise<Resolved> {
  const { bytes } = await ports.fetcher.fetch(url);
  const download = await readDownload(bytes, ports);
  return offer(download, download.skills, ({ path }) => ({
    ...webOrigin(url, url),
    source: "url",
    ...(path === "." ? {} : { path }),
    archiveDigest: download.digest,
  }));
}

function webOrigin(url: string, spec: string): SkillOrigin {
  const host = URL.parse(url)?.host ?? "";
  return {
    source: "index",
    origin: host,
    originUrl: url,
    spec,
    publisher: host,
    digests: {},
    verified: "none",
  };
}

const SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
const INDEX_BYTES = 8 * 1024 * 1024;
const MOST_SKILLS = 1000;

/** The places of an index, the newer format first. A path narrows it: then the root is not asked. */
function indexUrls(url: string): readonly string[] {
  const { origin, pathname } = new URL(url);
  if (pathname.endsWith("/index.json")) return [url];
  const base = `${origin}${pathname.replace(/\/+$/, "")}`;
  return [`${base}/.well-known/agent-skills/index.json`, `${base}/.well-known/skills/index.json`];
}

async function findIndex(url: string, ports: SourcePorts): Promise<Resolved | undefined> {
  const found = await fetchIndex(url, ports);
  return found === undefined ? undefined : await readIndex(found.value, found.url, url, ports);
}

/** The discovery index of a website as JSON; undefined where it has none. */
export async function fetchIndex(
  url: string,
  { fetcher }: Pick<SourcePorts, "fetcher">,
): Promise<{ readonly value: unknown; readonly url: string } | undefined> {
  for (const address of indexUrls(url)) {
    const answer = await fetcher.fetch(address, { maxBytes: INDEX_BYTES, accepts: [404, 410] });
    if (answer.status !== 200) continue;
    // A site that answers every address with a page has no index.
    if (/^\s*</.test(Buffer.from(answer.bytes.subarray(0, 64)).toString("utf8"))) continue;
    return { value: parseJson(answer.bytes, address), url: answer.url };
  }
  return undefined;
}

const CurrentIndex = z.looseObject({ $schema: z.string(), skills: z.array(z.unknown()).max(MOST_SKILLS) });
const CurrentEntry = z.looseObject({
  name: SkillId,
  type: z.string(),
  description: z.string(),
  url: z.string().max(2048),
  digest: Digest,
});
const LegacyIndex = z.looseObject({
  skills: z
    .array(z.looseObject({ name: SkillId, files: z.array(z.string().max(512)).min(1).max(2000) }))
    .max(MOST_SKILLS),
});

async function readIndex(
  value: unknown,
  address: string,
  spec: string,
  ports: SourcePorts,
): Promise<Resolved> {
  const current = CurrentIndex.safeParse(value);
  if (!current.success) return readLegacy(value, address, spec, ports);
  if (current.data.$schema !== SCHEMA)
    throw new SkillError("REMOTE_FAILED", `The index at ${address} has an unknown format.`, {
      hint: `Skillhold reads ${SCHEMA} and the format before it.`,
    });
  const entries = new Map<string, z.infer<typeof CurrentEntry>>();
  const notes: string[] = [];
  for (const each of current.data.skills) {
    const { data } = CurrentEntry.safeParse(each);
    if (data === undefined || (data.type !== "skill-md" && data.type !== "archive"))
      notes.push("An entry of the index was skipped: its fields are not those of a skill.");
    else entries.set(data.name, data);
  }
  const skills = [...entries.keys()].map((name) => ({ name, path: name }));
  const fetch = async (chosen: readonly OfferedSkill[]) => {
    const fetched: (FetchedSkill | RefusedSkill)[] = [];
    for (const skill of chosen) {
      const entry = entries.get(skill.name);
      if (entry !== undefined)
        fetched.push(await orRefused(skill, () => fetchEntry(entry, skill, address, spec, ports)));
    }
    return fetched;
  };
  return { skills, notes, fetch };
}

async function fetchEntry(
  entry: z.infer<typeof CurrentEntry>,
  skill: OfferedSkill,
  index: string,
  spec: string,
  ports: SourcePorts,
): Promise<FetchedSkill> {
  const url = URL.parse(entry.url, index);
  if (url === null) throw new SkillError("REMOTE_FAILED", `The index gives no address for ${skill.name}.`);
  const { bytes } = await ports.fetcher.fetch(url.href);
  const digest = sha256(bytes);
  if (digest !== entry.digest) throw wrongDigest(skill.name, entry.digest, digest);
  const { tree, skills } = await readDownload(bytes, ports);
  if (!skills.some(({ path }) => path === "."))
    throw new SkillError("ARCHIVE_INVALID", `The archive of ${skill.name} has no SKILL.md at its top.`);
  const origin = {
    ...webOrigin(index, spec),
    path: skill.name,
    digests: { artifact: digest },
    verified: "digest" as const,
  };
  return { ...skill, folder: tree.root, tree, origin };
}

/** The first format: a list of files and no digest of anything. */
function readLegacy(value: unknown, address: string, spec: string, ports: SourcePorts): Resolved {
  const { data } = LegacyIndex.safeParse(value);
  if (data === undefined)
    throw new SkillError("REMOTE_FAILED", `What ${address} serves is not an index of skills.`);
  const files = new Map(data.skills.map((skill) => [skill.name as string, skill.files]));
  const fetchOne = async (skill: OfferedSkill): Promise<FetchedSkill> => {
    const read: NewFile[] = [];
    let left = ports.limits.unpackedBytes;
    for (const name of files.get(skill.name) ?? []) {
      const path = normalizeRelative(name, ports.limits);
      const url = new URL(`${skill.name}/${path.split("/").map(encodeURIComponent).join("/")}`, address);
      const maxBytes = Math.min(left, ports.limits.archiveBytes);
      const { bytes } = await ports.fetcher.fetch(url.href, { maxBytes });
      left -= bytes.length;
      read.push({ path, content: bytes });
    }
    const tree = treeOfFiles(read, ports.limits);
    return { ...skill, folder: tree.root, tree, origin: { ...webOrigin(address, spec), path: skill.name } };
  };
  const fetch = async (chosen: readonly OfferedSkill[]) => {
    const fetched: (FetchedSkill | RefusedSkill)[] = [];
    for (const skill of chosen) fetched.push(await orRefused(skill, () => fetchOne(skill)));
    return fetched;
  };
  const skills = [...files.keys()].map((name) => ({ name, path: name }));
  const notes = ["The index has no digests: the files are taken as they come."];
  return { skills, notes, fetch };
}

export function wrongDigest(name: string, expected: string, found: string): SkillError {
  return new SkillError(
    "INTEGRITY_FAILED",
    `${name} is not what its source announces: expected ${expected}, received ${found}.`,
    {
      hint: "Nothing was installed. Try again later, and ask the publisher if it stays so.",
      details: { name, expected, found },
    },
  );
}
