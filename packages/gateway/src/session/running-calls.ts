import type { CancelTimer, Timers } from "@skillhold/core/port";
import { SkillError } from "@skillhold/protocol/error";
import type { RegistryContext } from "@skillhold/registry/record";
import type { Principal } from "../auth/principal.ts";
import type { LogEntry } from "../telemetry/log.ts";

export interface RunningCallPorts {
  readonly registry: Pick<RegistryContext, "store" | "clock">;
  readonly timers: Timers;
  readonly log: (entry: LogEntry) => void;
}

interface Running {
  readonly bearer: Bearer;
  readonly ending: AbortController;
}

const CHECK_MS = 5000;

/** Long calls. They are aborted when their token ends or their agent is removed. */
export class RunningCalls {
  readonly #ports: RunningCallPorts;
  readonly #running = new Set<Running>();
  #cancel: CancelTimer | undefined;

  constructor(ports: RunningCallPorts) {
    this.#ports = ports;
  }

  /** Runs work until its token ends: then it rejects, and the signal of the work is aborted. */
  async run<T>(bearer: Bearer, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const running = { bearer, ending: new AbortController() };
    this.#add(running);
    try {
      // The token may have ended while the request body was received.
      if (await hasEnded(bearer, this.#ports.registry)) throw tokenEnded();
      return await untilEnded(running.ending.signal, () =>
        work(AbortSignal.any([signal, running.ending.signal])),
      );
    } finally {
      this.#remove(running);
    }
  }

  endToken(token: string): void {
    this.#end((bearer) => bearer.token === token);
  }

  endAgent(key: string): void {
    this.#end(({ agent }) => agent === key);
  }

  /** Ends calls whose token ended without an event. Runs on a timer; tests call it directly. */
  async endExpired(): Promise<void> {
    const { registry, log } = this.#ports;
    try {
      for (const { bearer, ending } of [...this.#running])
        if (await hasEnded(bearer, registry)) ending.abort();
    } catch (error) {
      // The next check runs soon.
      log({ level: "error", event: "call.look_failed", error });
    }
  }

  #end(isMatch: (bearer: Bearer) => boolean): void {
    for (const { bearer, ending } of this.#running) if (isMatch(bearer)) ending.abort();
  }

  #add(running: Running): void {
    this.#running.add(running);
    this.#cancel ??= this.#ports.timers.every(CHECK_MS, () => void this.endExpired());
  }

  #remove(running: Running): void {
    this.#running.delete(running);
    if (this.#running.size > 0) return;
    this.#cancel?.();
    this.#cancel = undefined;
  }
}

async function untilEnded<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  if (signal.aborted) throw tokenEnded();
  const ended = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => ended.reject(tokenEnded()), { once: true });
  return await Promise.race([work(), ended.promise]);
}

/** The token of a call, and the agent that it acts as. */
export type Bearer = Pick<Principal, "token" | "agent" | "expiresAt">;

/** Whether the token is expired, revoked or missing, or its agent was removed. */
export async function hasEnded(
  { token, agent, expiresAt }: Bearer,
  { store, clock }: Pick<RegistryContext, "store" | "clock">,
): Promise<boolean> {
  if (Date.parse(expiresAt) <= clock.now().getTime()) return true;
  const stored = await store.findToken(token);
  if (stored === undefined || stored.revokedAt !== undefined) return true;
  if (agent === undefined) return false;
  const record = await store.findAgent(agent);
  return record === undefined || record.removedAt !== undefined;
}

/** The error for work that started while the token was valid. */
export function tokenEnded(): SkillError {
  return new SkillError("UNAUTHENTICATED", "The token is no longer valid, or its agent was removed.");
}
