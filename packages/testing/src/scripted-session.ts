import { type MemorySkill, openMemoryLibrary } from "@skillhold/core/library";
import type { RunPorts } from "@skillhold/core/run";
import {
  callSkillTool,
  openSession,
  type Session,
  type SessionOptions,
  skillTools,
  type ToolResult,
} from "@skillhold/core/session";
import type { SkillEvent } from "@skillhold/protocol";
import type { ScriptedCall } from "./reply.ts";

export interface TestSessionOptions {
  /** The runtime that the agent claims to be; `test` by default. */
  readonly runtime?: string;
  readonly agent?: string;
  /** The time of the first record; each later one is a second later. */
  readonly start?: Date;
  /** Lets the session run scripts, for instance with `systemRuns()`. */
  readonly runs?: RunPorts;
  readonly session?: SessionOptions;
}

/** A session over skills in memory, with a fixed clock, ids that count up, and its records in a list. */
export interface TestSession {
  readonly session: Session;
  readonly events: readonly SkillEvent[];
  /** Makes the calls one after the other, as an agent with this script would. */
  play(calls: readonly ScriptedCall[]): Promise<readonly PlayedCall[]>;
  close(): Promise<void>;
}

export interface PlayedCall extends ScriptedCall {
  readonly result: ToolResult;
}

/** A machine without any program, variable or configuration file, so that readiness never depends on the host. */
const bareHost = {
  platform: "linux",
  hasEnv: () => false,
  hasBin: () => false,
  hasConfig: () => false,
} as const;

/** Opens a session whose records are the same on every run. */
export async function openTestSession(
  skills: readonly MemorySkill[],
  options: TestSessionOptions = {},
): Promise<TestSession> {
  const { runtime = "test", agent, start = new Date(Date.UTC(2026, 0, 1)), runs } = options;
  const library = openMemoryLibrary(skills, { host: bareHost });
  const events: SkillEvent[] = [];
  let looks = 0;
  let ids = 0;
  const viewer = { runtime, ...(agent === undefined ? {} : { agent }) };
  const ports = {
    clock: { now: () => new Date(start.getTime() + 1000 * looks++) },
    ids: { next: () => `id-${++ids}` },
    audit: { record: (event: SkillEvent) => void events.push(event) },
    ...(runs === undefined ? {} : { runs }),
  };
  const session = await openSession(library, viewer, ports, options.session);
  const play = async (calls: readonly ScriptedCall[]) => {
    const played: PlayedCall[] = [];
    for (const call of calls) {
      const result = await callSkillTool(skillTools(session), call.name, call.input ?? {});
      played.push({ ...call, result });
    }
    return played;
  };
  const close = async () => {
    await session.close();
    await library.close();
  };
  return { session, events, play, close };
}
