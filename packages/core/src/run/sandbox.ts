import type { Readable, Writable } from "node:stream";

/**
 * Runs untrusted programs. A backend starts the process, and `supervise` enforces time and output limits. `probe`
 * verifies the backend's confinement by test.
 */
export interface Sandbox {
  readonly id: SandboxId;
  /** The effective confinement on this machine, found by running canaries; cached for a while. */
  probe(): Promise<SandboxProbe>;
  /**
   * Throws SANDBOX_UNAVAILABLE when the requested confinement is impossible, CONFIG_INVALID for a forbidden mount or
   * variable, and INTERRUPTED when canceled. In all cases, the program has not run.
   */
  start(spec: SandboxSpec): Promise<SandboxProcess>;
}

export type SandboxId = "bubblewrap" | "sandbox-runtime" | "none";

export interface SandboxSpec {
  /** A host folder, read-only for the program. */
  readonly skill: string;
  /** Host paths granted to the run. A small read-only file may be a copy. */
  readonly mounts: readonly Mount[];
  /** Interpreter files, read-only and readable by every user of the host; they need no grant. */
  readonly runtimes?: readonly Mount[];
  readonly network: Network;
  readonly limits: RunLimits;
  /** Whether the program gets an extra channel: it reads from descriptor 3 and writes to 4. */
  readonly hasChannel: boolean;
  /** Cancels the run before the program starts: `start` throws INTERRUPTED and leaves no files. */
  readonly signal?: AbortSignal;
  /** The command, given the paths inside the sandbox. */
  readonly command: (paths: SandboxPaths) => SandboxCommand;
}

export interface SandboxCommand {
  /** The program and its arguments; never shell text. */
  readonly argv: readonly [string, ...string[]];
  /** Added to the default variables of every run. */
  readonly env: Readonly<Record<string, string>>;
}

/** The paths inside the sandbox. */
export interface SandboxPaths {
  readonly skill: string;
  /** The working folder: private, writable, empty at the start. */
  readonly work: string;
  /** The inside path of a mounted or system file; throws INTERNAL for any other path. */
  of(hostPath: string): string;
}

/** A regular host file or folder that the program may see; never a device or a kernel interface. */
export interface Mount {
  /** Absolute and real. */
  readonly source: string;
  /** Absolute; the path inside, for backends that can choose it. */
  readonly target: string;
  readonly isWritable: boolean;
}

/**
 * No network, these hosts only, or every public host. A program never gets the host's own network: its requests go
 * through a proxy that resolves and judges each host.
 */
export type Network = "none" | "open" | HostList;

export interface HostList {
  /** `example.com`, `*.example.com` for the hosts below it, or either with a port. */
  readonly hosts: readonly string[];
  /** Entries of `hosts` that may be at a private address, as `host:port`: servers that the operator configured. */
  readonly privateHosts?: readonly string[];
}

export interface RunLimits {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly memoryBytes: number;
  readonly processes: number;
  /** The most bytes in the working and temporary folders. */
  readonly diskBytes: number;
  /** Standard output and error combined. */
  readonly outputBytes: number;
}

export type LimitKind = "wall" | "cpu" | "memory" | "processes" | "disk" | "output";

/** The scope of a limit: the whole run, the whole run at regular looks, each process, or not enforced. */
export type Enforcement = "run" | "sampled" | "process" | "none";
export type EnforcedLimits = Readonly<Record<LimitKind, Enforcement>>;

export interface SandboxProcess {
  readonly stdin: Writable;
  /** Contract: subscribe in the same turn as the start; unread output is lost at the end. */
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly channel: { readonly send: Writable; readonly receive: Readable } | undefined;
  readonly enforced: EnforcedLimits;
  /** Hosts that the program asked for and did not get; absent for backends that do not report them. */
  readonly refusedHosts?: () => readonly string[];
  /** Resolves when the program and its children are gone and the output was read. */
  readonly exited: Promise<SandboxExit>;
  /** Kills the program and its children. */
  kill(): void;
  /** Copies the regular files of the working folder to an empty host folder. Contract: called after the exit. */
  collect(target: string): Promise<Collected>;
  /** Cleans up. Contract: always called. */
  dispose(): Promise<void>;
}

export interface SandboxExit {
  /** Like a shell: 128 plus the signal number after a signal. */
  readonly code: number;
  readonly signal: string | undefined;
  /** Set when a limit of the backend ended the program. */
  readonly exceeded?: LimitKind;
}

export interface Collected {
  readonly files: readonly CollectedFile[];
  /** Files that were not copied, such as links and devices, with the reason. */
  readonly refused: readonly { readonly path: string; readonly reason: string }[];
}

export interface CollectedFile {
  readonly path: string;
  readonly size: number;
}

export interface SandboxProbe {
  readonly id: SandboxId;
  readonly isAvailable: boolean;
  /** When unavailable: the missing part and the command that installs it. */
  readonly problem?: { readonly message: string; readonly hint: string };
  readonly version?: string;
  /** The checks and their results. */
  readonly checks: readonly ProbeCheck[];
  readonly enforced: EnforcedLimits;
  /** How a run with a network reaches its hosts; absent when no run gets a network. */
  readonly network?: "proxy";
}

export interface ProbeCheck {
  /** Short and stable: `read-home`, `connect-loopback`. */
  readonly name: string;
  readonly title: string;
  readonly isConfined: boolean;
  /** The system's response, such as an error name. */
  readonly detail: string;
}
