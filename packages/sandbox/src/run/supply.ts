import { statSync } from "node:fs";
import { posix } from "node:path";
import type { Mount, Network, RunPorts } from "@skillhold/core/run";
import { declaredSecrets } from "@skillhold/core/secret";
import type { SkillEntry } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { isAboutProgram } from "@skillhold/skill";

/** What a run of a skill gets beyond the least: what it declares, and what it was granted. */
export interface Supply {
  /** Declared variables with their values. */
  readonly values: ReadonlyMap<string, string>;
  /** Granted mounts, and declared configuration files. */
  readonly mounts: readonly Mount[];
  readonly network: Network;
}

/** Inside, a configuration file lies where a program that looks in its home folder finds it. */
export const HOME = "/work";

/**
 * Collects what a run of the skill would be handed. A secret of the skill counts before a variable of the host,
 * and what is declared and nowhere to be had makes the skill not ready, with the whole list.
 */
export async function collectSupply(
  entry: SkillEntry,
  agent: string | undefined,
  { secrets, env, config, grant }: RunPorts,
): Promise<Supply> {
  const names = declaredSecrets(entry);
  const scope = { skill: entry.id, ...(agent === undefined ? {} : { agent }) };
  const values = new Map(await secrets?.open(scope, names));
  for (const name of names) {
    const value = values.get(name) ?? env?.(name);
    if (value !== undefined && value !== "") values.set(name, value);
  }
  const files = entry.requires.config.map((path) => ({ path, source: findFile(config?.(path)) }));
  rejectUnready(entry, values, new Set(files.flatMap(({ path, source }) => (source ? [path] : []))));
  const granted = grant?.(entry) ?? {};
  const declared = files.flatMap(({ path, source }) =>
    source === undefined ? [] : [{ source, target: insidePath(path), isWritable: false }],
  );
  return { values, mounts: [...(granted.mounts ?? []), ...declared], network: granted.network ?? "none" };
}

/** A socket or a device is a way out, not a configuration. */
function findFile(source: string | undefined): string | undefined {
  const isFile = source !== undefined && statSync(source, { throwIfNoEntry: false })?.isFile() === true;
  return isFile ? source : undefined;
}

/** Programs are the host's matter; variables and files are judged by what the run would really get. */
function rejectUnready(
  entry: SkillEntry,
  values: ReadonlyMap<string, string>,
  files: ReadonlySet<string>,
): void {
  const { requires, readiness } = entry;
  const suppliable = declaredSecrets(entry);
  const unset = requires.env.filter((name) => suppliable.includes(name) && !values.has(name));
  const missing = [
    ...readiness.reasons.filter(isAboutProgram),
    ...unset.map((name) => `${name} has no value`),
    ...requires.config.filter((path) => !files.has(path)).map((path) => `${path} is not there`),
  ];
  if (missing.length === 0) return;
  const [first] = unset;
  const hint =
    first === undefined
      ? {}
      : {
          hint: `Give it a value: in the environment, or among the secrets (\`skillhold secret set ${entry.id} ${first}\`).`,
        };
  throw new SkillError("NOT_READY", `The skill ${entry.id} is not ready: ${missing.join("; ")}.`, {
    ...hint,
    details: { missing },
  });
}

function insidePath(path: string): string {
  if (posix.isAbsolute(path)) return posix.normalize(path);
  // Joined to the root first, so that no `..` leads out of the home folder.
  return posix.join(HOME, posix.join("/", path.replace(/^~\//, "")));
}
