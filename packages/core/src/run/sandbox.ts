import type { Readable, Writable } from "node:stream";

/**
 * Where a stranger's program runs. A backend starts it; `supervise` holds it to its time and its output, and what
 * the process may see and do is the backend's promise, which `probe` tries out instead of trusting it.
 */
export interface Sandbox {
  readonly id: SandboxId;
  /** What this machine really confines, found by running canaries; the answer is kept for a while. */
  probe(): Promise<SandboxProbe>;
  /**
   * Throws SANDBOX_UNAVAILABLE when the program cannot be confined as asked, CONFIG_INVALID for a mount or a variable
   * that no run may have, and INTERRUPTED when it was called off: nothing has run then.
   */
  start(spec: SandboxSpec): Promise<SandboxProcess>;
}

export type SandboxId = "bubblewrap" | "sandbox-runtime" | "none";

export interface SandboxSpec {
  /** A folder of the host that the program sees and cannot change. */
  readonly skill: string;
  /** What the run was granted of the host. A small file that is only read may be shown as a copy of the moment. */
  readonly mounts: readonly Mount[];
  /** Parts of an interpreter, read-only and open to every user of the host; they are nobody's grant. */
  readonly runtimes?: readonly Mount[];
  readonly network: Network;
  readonly limits: RunLimits;
  /** Whether the program gets a channel beside its output: it reads from descriptor 3 and writes to 4. */
  readonly hasChannel: boolean;
  /** Calls the run off before the program starts: then `start` throws INTERRUPTED and leaves nothing behind. */
  readonly signal?: AbortSignal;
  /** What to run, once it is known where things lie inside. */
  readonly command: (paths: SandboxPaths) => SandboxCommand;
}

export interface SandboxCommand {
  /** The program and its arguments; never a shell's text. */
  readonly argv: readonly [string, ...string[]];
  /** Added to the few variables that every run has. */
  readonly env: Readonly<Record<string, string>>;
}

/** Where things lie for the program. */
export interface SandboxPaths {
  readonly skill: string;
  /** Its working folder: private, writable, empty at the start. */
  readonly work: string;
  /** The path inside of something that is mounted or part of the system; throws INTERNAL for anything else. */
  of(hostPath: string): string;
}

/** A regular file or a folder of the host that the program may see; nothing of its running system. */
export interface Mount {
  /** Absolute and real. */
  readonly source: string;
  /** Absolute; where it lies inside, for backends that can choose. */
  readonly target: string;
  readonly isWritable: boolean;
}

/** No network at all, these hosts alone (where a backend can do that), or the host's whole network. */
export type Network = "none" | "open" | { readonly hosts: readonly string[] };

export interface RunLimits {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly memoryBytes: number;
  readonly processes: number;
  /** All that may be written to the working folder, and to the temporary one. */
  readonly diskBytes: number;
  /** Standard output and error together. */
  readonly outputBytes: number;
}

export type LimitKind = "wall" | "cpu" | "memory" | "processes" | "disk" | "output";

/** How a limit is held: for the whole run, for each of its processes alone, or not at all. */
export type Enforcement = "run" | "process" | "none";
export type EnforcedLimits = Readonly<Record<LimitKind, Enforcement>>;

export interface SandboxProcess {
  readonly stdin: Writable;
  /** To be listened to in the turn in which the process was started: what nobody reads is lost at its end. */
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly channel: { readonly send: Writable; readonly receive: Readable } | undefined;
  readonly enforced: EnforcedLimits;
  /** Resolves when the program and all that it started are gone, and its output has been read. */
  readonly exited: Promise<SandboxExit>;
  /** Ends the program and all that it started, at once. */
  kill(): void;
  /** Copies the regular files of the working folder to an empty folder of the host. After the exit only. */
  collect(target: string): Promise<Collected>;
  /** Takes away what was set up. It has to be called, whatever happened. */
  dispose(): Promise<void>;
}

export interface SandboxExit {
  /** As a shell gives it: 128 and the signal's number when a signal ended it. */
  readonly code: number;
  readonly signal: string | undefined;
  /** Set when the system ended it for a limit that the backend holds. */
  readonly exceeded?: LimitKind;
}

export interface Collected {
  readonly files: readonly CollectedFile[];
  /** What was not copied, such as links and devices, with the reason. */
  readonly refused: readonly { readonly path: string; readonly reason: string }[];
}

export interface CollectedFile {
  readonly path: string;
  readonly size: number;
}

export interface SandboxProbe {
  readonly id: SandboxId;
  readonly isAvailable: boolean;
  /** When it is not: what is missing, and the command that gets it on this system. */
  readonly problem?: { readonly message: string; readonly hint: string };
  readonly version?: string;
  /** What was tried, each with what came of it. */
  readonly checks: readonly ProbeCheck[];
  readonly enforced: EnforcedLimits;
}

export interface ProbeCheck {
  /** Short and stable: `read-home`, `connect-loopback`. */
  readonly name: string;
  readonly title: string;
  readonly isConfined: boolean;
  /** What the system answered, such as an error's name. */
  readonly detail: string;
}
