import { closeSync, constants, existsSync, openSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { SkillError } from "@skillhold/protocol/error";
import { control, WORK } from "./bubblewrap-option.ts";
import { rejectCanceled } from "./cancel.ts";
import { type Launched, tryKill } from "./process.ts";

/** A sandbox that is set up, and in which the program has not started yet. */
export interface SandboxEntry {
  /** Its first process; when that one is gone, all are. */
  readonly init: InitProcess;
  /** A descriptor of the working folder; it reads on when the sandbox is gone. */
  readonly work: number;
}

export interface InitProcess {
  readonly pid: number;
  /** With the number it names one process for ever. */
  readonly startTime: string;
}

const SETUP_TIMEOUT_MS = 20_000;

/**
 * Waits until bubblewrap has built the sandbox and holds the program back. Throws SANDBOX_UNAVAILABLE with what
 * bubblewrap said when it could not, and INTERRUPTED when it was called off; nothing has run then.
 *
 * `onInit` gets the first process as soon as it exists, and is waited for as well.
 *
 * Contract: `marker` is a folder inside whose name nobody can guess, so that it is in no other root.
 */
export async function enter(
  launched: Launched,
  marker: string,
  onInit: (pid: number) => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<SandboxEntry> {
  const complaint = new Complaint(launched);
  const setup = new Setup(launched);
  const deadline = Date.now() + SETUP_TIMEOUT_MS;
  let taken: Promise<unknown> | undefined;
  try {
    for (;;) {
      rejectCanceled(signal);
      const pid = setup.pid;
      // A failure is kept for the moment at which the sandbox is ready.
      if (pid !== undefined) taken ??= onInit(pid).catch((error: unknown) => error);
      if (pid !== undefined && existsSync(`/proc/${pid}/root${marker}`)) {
        const failure = await taken;
        if (failure !== undefined) throw failure;
        // No one else gets a turn between here and the start of the program.
        rejectCanceled(signal);
        return openEntry(pid);
      }
      if (setup.hasEnded || Date.now() > deadline) throw explain(complaint.text());
      await sleep(1);
    }
  } finally {
    complaint.close();
  }
}

/** Ends the first process of a sandbox, and all others with it. */
export function endInit({ pid, startTime }: InitProcess): void {
  if (readStartTime(pid) === startTime) tryKill(pid);
}

/** Once the whole process tree of a sandbox is gone: the kernel ends it before its first process is done. */
export async function leave({ pid, startTime }: InitProcess): Promise<void> {
  for (let pause = 1; readStartTime(pid) === startTime; pause = Math.min(pause * 2, 50)) await sleep(pause);
}

/** What bubblewrap tells about its progress. */
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
    // With what follows the number, of which a part may have come.
    const found = /"child-pid": (\d+)[^\d]/.exec(this.#text)?.[1];
    return found === undefined ? undefined : Number(found);
  }
}

/** What comes on the error stream before the program starts is bubblewrap's. */
class Complaint {
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
  throw explain("The sandbox ended while it was set up.");
}

/** When a process started, or undefined when it is gone or done. */
function readStartTime(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name stands in parentheses and may hold anything, these as well.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const isDone = fields[0] === "Z" || fields[0] === "X";
    return isDone ? undefined : fields[19];
  } catch {
    // There is no such process.
    return undefined;
  }
}

const HINTS: readonly (readonly [RegExp, string])[] = [
  [/unknown option/i, "Update bubblewrap: version 0.8.0 or later is needed."],
  [
    /namespace|uid map|operation not permitted/i,
    "Allow user namespaces to this user: see kernel.unprivileged_userns_clone and kernel.apparmor_restrict_unprivileged_userns, and, in a container, its security options.",
  ],
  [
    /find source path/i,
    "Every folder on the way to it must be open to other users when root starts the run.",
  ],
];

function explain(text: string): SkillError {
  const said = text === "" ? "it did not say why" : text.replace(/^bwrap: /, "").slice(0, 500);
  const hint = HINTS.find(([pattern]) => pattern.test(said))?.[1];
  return new SkillError("SANDBOX_UNAVAILABLE", `Bubblewrap could not set up the sandbox: ${said}.`, {
    ...(hint === undefined ? {} : { hint }),
    details: { said },
  });
}
