import { statSync } from "node:fs";
import { posix } from "node:path";
import type { Mount, Network, RunPorts } from "@skillhold/core/run";
import { declaredSecrets } from "@skillhold/core/secret";
import type { SkillEntry } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { isAboutProgram } from "@skillhold/skill";

/** The declared and granted inputs of a run: variables, mounts and network. */
export interface RunInputs {
  /** Declared variables with their values. */
  readonly values: ReadonlyMap<string, string>;
  /** Granted mounts and declared configuration files. */
  readonly mounts: readonly Mount[];
  readonly network: Network;
}

/** The home folder inside the sandbox, where programs look for configuration files. */
export const HOME = "/work";

/**
 * Collects the inputs of a run. A secret of the skill takes precedence over a host variable. Throws NOT_READY
 * with all missing inputs.
 */
export async function collectRunInputs(
  entry: SkillEntry,
  agent: string | undefined,
  { secrets, env, config, grant }: RunPorts,
): Promise<RunInputs> {
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

/** A socket or a device could break out of the sandbox, so only regular files are accepted. */
function findFile(source: string | undefined): string | undefined {
  const isFile = source !== undefined && statSync(source, { throwIfNoEntry: false })?.isFile() === true;
  return isFile ? source : undefined;
}

/** Programs are checked on the host; variables and files are checked by the run's actual inputs. */
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
    ...requires.config.filter((path) => !files.has(path)).map((path) => `${path} is missing`),
  ];
  if (missing.length === 0) return;
  const [first] = unset;
  const hint =
    first === undefined
      ? {}
      : {
          hint: `Set the variable in the environment, or store a secret: \`skillhold secret set ${entry.id} ${first}\`.`,
        };
  throw new SkillError("NOT_READY", `The skill ${entry.id} is not ready: ${missing.join("; ")}.`, {
    ...hint,
    details: { missing },
  });
}

function insidePath(path: string): string {
  if (posix.isAbsolute(path)) return posix.normalize(path);
  // Joined to the root first, so that `..` cannot leave the home folder.
  return posix.join(HOME, posix.join("/", path.replace(/^~\//, "")));
}
