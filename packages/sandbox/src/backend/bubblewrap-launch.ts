import { closeSync } from "node:fs";
import { errorCodeOf } from "@skillhold/core/bundle";
import type { SandboxSpec } from "@skillhold/core/run";
import { SkillError } from "@skillhold/protocol/error";
import { control, groupFile, hostsFile, passwdFile } from "./bubblewrap-option.ts";
import { type Launched, type LaunchOptions, launch } from "./process.ts";
import type { RunUser } from "./run-place.ts";
import { openAll, type SealedFile, sealFile } from "./sealed-file.ts";
import { seccompFilter } from "./seccomp.ts";

/** Starts bubblewrap with its options. It sets the sandbox up and holds the program back until it is told. */
export async function launchHeld(
  argv: readonly [string, ...string[]],
  options: readonly string[],
  { hasChannel, signal }: SandboxSpec,
  user: RunUser | undefined,
): Promise<Launched> {
  sealed ??= sealAll();
  const files = openAll(await sealed.catch(forget));
  try {
    const { gate, block, status, options: said } = control;
    const pipes = [...(hasChannel ? [3, 4] : []), gate, block, status, said];
    const who = user === undefined ? {} : { user: { uid: user.uid, gid: user.gid } };
    const launched = await launchBubblewrap(argv, { pipes, files, signal, ...who });
    launched.pipe(control.options).end(options.map((option) => `${option}\0`).join(""));
    return launched;
  } finally {
    for (const descriptor of Object.values(files)) closeSync(descriptor);
  }
}

export async function launchBubblewrap(
  argv: readonly [string, ...string[]],
  options: Omit<LaunchOptions, "env"> = {},
): Promise<Launched> {
  try {
    // Its variables are readable inside, as those of the first process: it has none.
    return await launch(argv, { ...options, env: {} });
  } catch (error) {
    if (error instanceof SkillError) throw error;
    throw new SkillError("SANDBOX_UNAVAILABLE", `Bubblewrap could not be started (${errorCodeOf(error)}).`, {
      cause: error,
    });
  }
}

/** What every run gets, by descriptor. */
type SealedFiles = Readonly<Record<number, SealedFile>>;

let sealed: Promise<SealedFiles> | undefined;

async function sealAll(): Promise<SealedFiles> {
  const contents = [
    [control.seccomp, seccompFilter()],
    [control.passwd, passwdFile],
    [control.group, groupFile],
    [control.hosts, hostsFile],
  ] as const;
  const files = contents.map(async ([descriptor, bytes]) => [descriptor, await sealFile(bytes)] as const);
  return Object.fromEntries(await Promise.all(files));
}

/** What failed once may work the next time. */
function forget(error: unknown): never {
  sealed = undefined;
  throw error;
}
