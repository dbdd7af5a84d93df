import { closeSync, constants, existsSync, openSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { SkillError } from "@skillhold/protocol/error";
import { control, WORK } from "./bubblewrap-option.ts";
import { rejectCanceled } from "./cancel.ts";
import { type Launched, tryKill } from "./process.ts";

/** A sandbox that is set up, with a program that waits at the gate. */
export interface SandboxEntry {
  /** The sandbox's first process. All others end with it. */
  readonly init: InitProcess;
  /** A descriptor of the working folder, readable after the sandbox ends. */
  readonly work: number;
}

export interface InitProcess {
  readonly pid: number;
  /** With the pid, identifies a process uniquely. */
  readonly startTime: string;
}

const SETUP_TIMEOUT_MS = 20_000;

/**
 * Waits until bubblewrap has built the sandbox and the program waits at the gate. Throws SANDBOX_UNAVAILABLE with
 * bubblewrap's message when the setup fails, and INTERRUPTED when the run is canceled; the program has not
 * run then.
 *
 * `onInit` receives the first process as soon as it exists, and is awaited.
 *
 * Contract: `marker` is a folder inside with an unguessable name, so it exists in no other root.
 */
export async function enter(
  launched: Launched,
  marker: string,
  onInit: (pid: number) => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<SandboxEntry> {
  const errors = new ErrorOutput(launched);
  const setup = new Setup(launched);
  const deadline = Date.now() + SETUP_TIMEOUT_MS;
  let taken: Promise<unknown> | undefined;
  try {
    for (;;) {
      rejectCanceled(signal);
      const pid = setup.pid;
      // A failure is reported when the sandbox is ready.
      if (pid !== undefined) taken ??= onInit(pid).catch((error: unknown) => error);
      if (pid !== undefined && existsSync(`/proc/${pid}/root${marker}`)) {
        const failure = await taken;
        if (failure !== undefined) throw failure;
        const entry = openEntry(pid);
        await bindInit(launched, entry, () => {
          rejectCanceled(signal);
          if (Date.now() > deadline) throw explain(errors.text());
        });
        return entry;
      }
      if (setup.hasEnded || Date.now() > deadline) throw explain(errors.text());
      await sleep(1);
    }
  } finally {
    errors.close();
  }
}

/**
 * Lets bubblewrap continue up to the gate, and waits until the first process dies with bubblewrap. A program that started
 * earlier could outlive a controlling process that is killed at that moment.
 */
async function bindInit(launched: Launched, { init, work }: SandboxEntry, check: () => void): Promise<void> {
  try {
    const before = seccompState(init.pid);
    launched.pipe(control.block).end("x");
    while (before !== undefined && seccompState(init.pid) === before) {
      check();
      await sleep(1);
    }
    check();
    if (readStartTime(init.pid) !== init.startTime) throw explain(ENDED);
  } catch (error) {
    // The first process has left the process group, and may not die with bubblewrap yet.
    endInit(init);
    closeSync(work);
    throw error;
  }
}

/**
 * Changes when the first process installs the filter, which it does after it has asked to die with bubblewrap. Undefined
 * when a change would be invisible: before Linux 5.9, inside another filter.
 */
function seccompState(pid: number): string | undefined {
  const found = /^Seccomp:\t(\d+)(?:\nSeccomp_filters:\t(\d+))?$/m.exec(readStatus(pid));
  const [state, mode, filters] = found ?? [];
  return mode === "2" && filters === undefined ? undefined : state;
}

function readStatus(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, "latin1");
  } catch {
    // The process does not exist.
    return "";
  }
}

/** Kills the first process of a sandbox, and all others with it. */
export function endInit({ pid, startTime }: InitProcess): void {
  if (readStartTime(pid) === startTime) tryKill(pid);
}

/**
 * Resolves when all processes of a sandbox are gone: the kernel ends them before the first process is reaped.
 */
export async function waitForEnd({ pid, startTime }: InitProcess): Promise<void> {
  for (let pause = 1; readStartTime(pid) === startTime; pause = Math.min(pause * 2, 50)) await sleep(pause);
}

/** Bubblewrap's progress messages. */
class Setup {
  hasEnded = false;
  #text = "";

  constructor(launched: Launched) {
    launched.pipe(control.status).on("data", (chunk: Buffer) => {
      this.#text += chunk.toString("latin1");
    });
    void launched.ended.then(() => {
      this.hasEnded = true;
    });
  }

  get pid(): number | undefined {
    // The match includes the character after the number, because the number may arrive in parts.
    const found = /"child-pid": (\d+)[^\d]/.exec(this.#text)?.[1];
    return found === undefined ? undefined : Number(found);
  }
}

/** Error output from before the program starts, which comes from bubblewrap. */
class ErrorOutput {
  readonly #launched: Launched;
  readonly #chunks: Buffer[] = [];
  readonly #onReadable = (): void => {
    for (let chunk = this.#launched.stderr.read(); chunk !== null; chunk = this.#launched.stderr.read()) {
      this.#chunks.push(chunk);
    }
  };

  constructor(launched: Launched) {
    this.#launched = launched;
    launched.stderr.on("readable", this.#onReadable);
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString("utf8").trim();
  }

  close(): void {
    this.#launched.stderr.off("readable", this.#onReadable);
  }
}

function openEntry(pid: number): SandboxEntry {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  const work = openSync(`/proc/${pid}/root${WORK}`, flags);
  const startTime = readStartTime(pid);
  if (startTime !== undefined) return { init: { pid, startTime }, work };
  closeSync(work);
  throw explain(ENDED);
}

/** The start time of a process, or undefined when it has ended. */
function readStartTime(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The process name is in parentheses and may itself contain parentheses.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const isDone = fields[0] === "Z" || fields[0] === "X";
    return isDone ? undefined : fields[19];
  } catch {
    // The process does not exist.
    return undefined;
  }
}

const ENDED = "the sandbox ended during its setup";

const HINTS: readonly (readonly [RegExp, string])[] = [
  [/unknown option/i, "Update bubblewrap to version 0.8.0 or later."],
  [
    /namespace|uid map|operation not permitted/i,
    "Allow user namespaces for this user: check kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns and, in a container, its security options.",
  ],
  [/find source path/i, "When root starts a run, every parent folder must be open to other users."],
];

function explain(text: string): SkillError {
  const reason = text === "" ? "no error message" : text.replace(/^bwrap: /, "").slice(0, 500);
  const hint = HINTS.find(([pattern]) => pattern.test(reason))?.[1];
  return new SkillError("SANDBOX_UNAVAILABLE", `Bubblewrap could not set up the sandbox: ${reason}.`, {
    ...(hint === undefined ? {} : { hint }),
    details: { reason },
  });
}
