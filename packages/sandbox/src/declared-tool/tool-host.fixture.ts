import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { systemTimers } from "@skillhold/core/port";
import type { Sandbox } from "@skillhold/core/run";
import type { RunLimits, SandboxProcess, SandboxSpec } from "@skillhold/core/test/run/sandbox";
import { defaultLimits } from "@skillhold/protocol/limits";
// biome-ignore lint/correctness/noUndeclaredDependencies: the workspace has it, for tests alone.
import { onTestFinished } from "vitest";
import { openToolHost, type ToolHost } from "./tool-host.ts";
import type { ToolHostPorts, ToolHostSpec, ToolLanguage, ToolTiming } from "./tool-host-spec.ts";

export type Files = Readonly<Record<string, string>>;

/** Makes a folder with these files and removes it after the test. */
export function skillFolder(files: Files): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "skillhold-tools-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

export const hostTiming: ToolTiming = { startMs: 20_000, callMs: 20_000, graceMs: 10_000, idleMs: 60_000 };

export const hostLimits: RunLimits = {
  wallMs: 60_000,
  cpuMs: 60_000,
  memoryBytes: defaultLimits.runTrustedMemory,
  processes: 64,
  diskBytes: defaultLimits.runDiskBytes,
  outputBytes: defaultLimits.runOutputBytes,
};

export interface HostOptions {
  readonly language?: ToolLanguage;
  readonly timing?: Partial<ToolTiming>;
  readonly env?: Readonly<Record<string, string>>;
  readonly ports?: Partial<ToolHostPorts>;
}

/** Opens a host for the tools in these files and closes it after the test. */
export function hostOf(files: Files, options: HostOptions = {}): ToolHost {
  const language = options.language ?? "node";
  const ends = language === "node" ? /^tools\/[^_].*\.[cm]?[jt]s$/ : /^tools\/[^_].*\.py$/;
  const spec: ToolHostSpec = {
    skill: skillFolder(files),
    language,
    files: Object.keys(files).filter((path) => ends.test(path)),
    mounts: [],
    network: "none",
    env: options.env ?? {},
    limits: hostLimits,
    timing: { ...hostTiming, ...options.timing },
  };
  const host = openToolHost(spec, { ...directPorts(), ...options.ports });
  onTestFinished(() => host.close());
  return host;
}

/** Real processes without a sandbox, for tests of the bridge protocol. */
export function directPorts(): ToolHostPorts {
  return {
    sandbox: directSandbox(),
    findRuntime: async (language) => ({
      program: language === "node" ? process.execPath : "/usr/bin/python3",
      mounts: [],
    }),
    redact: (text) => text,
    timers: systemTimers,
  };
}

interface DirectSandbox extends Sandbox {
  readonly started: readonly SandboxProcess[];
  /** What the host has received from the bridges of all processes. */
  received(): string;
}

/** With `script`, Node runs that file instead of the bridge. */
export function directSandbox(script?: string): DirectSandbox {
  const started: SandboxProcess[] = [];
  let received = "";
  return {
    id: "none",
    started,
    received: () => received,
    probe: () => Promise.reject(new Error("The fixture has no probe.")),
    start: async (spec) => {
      const process = startDirectly(spec, script);
      process.channel?.receive.on("data", (chunk: Buffer) => {
        received += chunk;
      });
      started.push(process);
      return process;
    },
  };
}

function startDirectly(spec: SandboxSpec, script: string | undefined): SandboxProcess {
  const work = realpathSync(mkdtempSync(join(tmpdir(), "skillhold-work-")));
  const { argv, env } = spec.command({ skill: spec.skill, work, of: (path) => path });
  const [program, ...args] = script === undefined ? argv : [process.execPath, "-e", script];
  const child = spawn(program, args, {
    cwd: work,
    env: { PATH: "/usr/bin:/bin", ...env },
    stdio: ["pipe", "pipe", "pipe", "pipe", "pipe"],
    detached: true,
  });
  const exited = Promise.withResolvers<{ readonly code: number; readonly signal: string | undefined }>();
  child.once("close", (code, signal) => exited.resolve({ code: code ?? 137, signal: signal ?? undefined }));
  // `stdio` makes them pipes.
  const [stdin, stdout, stderr, send, receive] = child.stdio as unknown as Streams;
  return {
    stdin,
    stdout,
    stderr,
    channel: { send, receive },
    enforced: { wall: "none", cpu: "none", memory: "none", processes: "none", disk: "none", output: "none" },
    exited: exited.promise,
    kill: () => child.kill("SIGKILL"),
    collect: () => Promise.reject(new Error("The fixture collects no files.")),
    dispose: async () => rmSync(work, { recursive: true, force: true }),
  };
}

type Streams = readonly [Writable, Readable, Readable, Writable, Readable];
