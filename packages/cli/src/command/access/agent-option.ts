import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { readAgentManifest } from "@skillhold/core/session";
import { ioFailure, present, statPath } from "@skillhold/host/place";
import { SkillError } from "@skillhold/protocol/error";
import { defaultLimits } from "@skillhold/protocol/limits";
import { rejectUnknownSkills } from "@skillhold/registry/access";
import type { RegistryContext } from "@skillhold/registry/record";
import type { CommandInput } from "../../command.ts";
import { readIds } from "../../library-choice.ts";
import { withLibrary } from "../../open.ts";
import { listOption, readRevision, textOption } from "../../option.ts";
import { type Io, plain } from "../../terminal/output.ts";
import { formatSize } from "../../terminal/text.ts";
import { type ActorContext, isSkillVisible } from "../../visible-skill.ts";

export interface AgentOptions {
  readonly displayName?: string;
  readonly runtime?: string;
  readonly allow?: readonly string[];
  readonly pins?: Readonly<Record<string, number>>;
  readonly manifest?: string;
}

/** The fields of an agent that the options set. */
export function readAgentOptions({ options, io }: Pick<CommandInput, "options" | "io">): AgentOptions {
  const manifest = textOption(options, "manifest");
  const pins = listOption(options, "pin");
  return present({
    displayName: textOption(options, "name"),
    runtime: textOption(options, "runtime"),
    allow: readIds(textOption(options, "allow")),
    pins: pins.length === 0 ? undefined : readPins(pins),
    manifest: manifest === undefined ? undefined : readManifestFile(manifest, io),
  });
}

/** Rejects a manifest that names a skill which the user cannot see. */
export async function rejectUnknownIds(
  { manifest: text, runtime }: AgentOptions,
  input: Pick<CommandInput, "options" | "io">,
): Promise<void> {
  const manifest = text === undefined ? undefined : readAgentManifest(text).manifest;
  if (manifest === undefined) return;
  const { store } = input.options;
  const options = { ...(store === undefined ? {} : { store }), gateway: false };
  await withLibrary(
    { io: input.io, options },
    ({ library, viewer }) =>
      rejectUnknownSkills(manifest, { ...viewer, runtime: runtime ?? manifest.runtime }, library),
    { onStoreFailure: () => {} },
  );
}

/** Warnings about ignored manifest fields: a misspelled `allow` would silently set no limit. */
export function listIgnored(manifest: string | null | undefined): readonly string[] {
  if (typeof manifest !== "string") return [];
  const { problems } = readAgentManifest(manifest);
  return problems.filter(({ severity }) => severity === "warning").map(({ message }) => message);
}

function readPins(pins: readonly string[]): Readonly<Record<string, number>> {
  const read = pins.map((pin): readonly [string, number] => {
    const [, id, revision] = /^([^@]+)@([^@]+)$/.exec(pin) ?? [];
    if (id !== undefined && revision !== undefined) return [id, readRevision(revision)];
    throw new SkillError("USAGE", `--pin ${JSON.stringify(pin)} is not <skill>@<revision>.`, {
      hint: "Write a pin as --pin pdf@2.",
    });
  });
  const twice = read.find(([id], at) => read.findIndex(([other]) => other === id) !== at);
  if (twice !== undefined)
    throw new SkillError("USAGE", `--pin names ${twice[0]} twice. Keep one of the pins.`);
  return Object.fromEntries(read);
}

/** Contract: a file above the size limit is rejected before it is read. */
function readManifestFile(label: string, { cwd }: Pick<Io, "cwd">): string {
  const path = resolve(cwd, label);
  if (statPath(path, label) === undefined)
    throw new SkillError("PATH_NOT_FOUND", `The path ${label} does not exist.`);
  const max = defaultLimits.frontmatterBytes;
  try {
    // Without O_NONBLOCK, opening a pipe without a writer would block.
    const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const stats = fstatSync(file);
      if (!stats.isFile()) throw new SkillError("USAGE", `${label} is not a file.`);
      if (stats.size > max)
        throw new SkillError(
          "LIMIT_EXCEEDED",
          `${label} is larger than ${formatSize(max)} (limit frontmatterBytes).`,
        );
      return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file));
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (error instanceof SkillError) throw error;
    if (error instanceof TypeError)
      throw new SkillError("USAGE", `${label} is not UTF-8 text.`, { cause: error });
    throw ioFailure(`${label} cannot be read`, error);
  }
}

/** Lists pins to missing revisions, because they hide the skill from the agent. */
export async function listLostPins(
  pins: Readonly<Record<string, number>>,
  opened: ActorContext,
  io: Pick<Io, "env" | "cwd">,
): Promise<readonly string[]> {
  const lost: string[] = [];
  for (const [id, revision] of Object.entries(pins)) {
    const isThere =
      (await isSkillVisible(id, opened, io)) && (await hasRevision(id, revision, opened.context));
    if (!isThere)
      lost.push(`${plain(id)} has no revision ${revision}, so the agent cannot see ${plain(id)}.`);
  }
  return lost;
}

async function hasRevision(id: string, revision: number, { store }: RegistryContext): Promise<boolean> {
  const skill = await store.findSkill(id);
  const found = skill === undefined ? undefined : await store.findRevision(skill.uid, revision);
  return found !== undefined && found.purgedAt === undefined;
}
