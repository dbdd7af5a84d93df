import {
  type MemoryLibrary,
  type MemorySkill,
  openMemoryLibrary,
  type Viewer,
} from "@skillhold/core/library";
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
  readonly runtime?: string | readonly string[];
  readonly agent?: string;
  readonly user?: string;
  /** The allowed ids. Default: all skills. */
  readonly allow?: readonly string[];
  /** The time of the first record; each later one is a second later. */
  readonly start?: Date;
  /** Lets the session run scripts, for instance with `systemRuns()`. */
  readonly runs?: RunPorts;
  readonly session?: SessionOptions;
}

/** A session over skills in memory, with a fixed clock, ids that count up, and its records in a list. */
export interface TestSession extends AsyncDisposable {
  readonly session: Session;
  readonly library: MemoryLibrary;
  readonly events: readonly SkillEvent[];
  /** Opens another session over the same skills, with its records in the same list. */
  open(options?: Pick<TestSessionOptions, "agent" | "user" | "allow" | "session">): Promise<Session>;
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
  const { runtime = "test", start = new Date(Date.UTC(2026, 0, 1)), runs } = options;
  const library = openMemoryLibrary(skills, { host: bareHost });
  const events: SkillEvent[] = [];
  const opened: Session[] = [];
  let looks = 0;
  let ids = 0;
  const ports = {
    clock: { now: () => new Date(start.getTime() + 1000 * looks++) },
    ids: { next: () => `id-${++ids}` },
    audit: { record: (event: SkillEvent) => void events.push(event) },
    ...(runs === undefined ? {} : { runs }),
  };
  const open: TestSession["open"] = async ({ agent, user, allow, session: settings } = {}) => {
    const viewer = { runtime, ...definedOnly({ agent, user, allow }) };
    const session = await openSession(library, viewer, ports, settings);
    opened.push(session);
    return session;
  };
  const session = await open(options);
  const play = async (calls: readonly ScriptedCall[]) => {
    const played: PlayedCall[] = [];
    for (const call of calls) {
      const result = await callSkillTool(skillTools(session), call.name, call.input ?? {});
      played.push({ ...call, result });
    }
    return played;
  };
  const close = async () => {
    for (const each of opened.reverse()) await each.close();
    await library.close();
  };
  return { session, library, events, open, play, close, [Symbol.asyncDispose]: close };
}

function definedOnly(viewer: {
  readonly agent: string | undefined;
  readonly user: string | undefined;
  readonly allow: readonly string[] | undefined;
}): Pick<Viewer, "agent" | "user" | "allow"> {
  const { agent, user, allow } = viewer;
  return {
    ...(agent === undefined ? {} : { agent }),
    ...(user === undefined ? {} : { user }),
    ...(allow === undefined ? {} : { allow }),
  };
}
