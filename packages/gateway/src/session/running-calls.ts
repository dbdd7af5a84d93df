import type { RegistryContext } from "@skillhold/registry/record";
import type { LogEntry } from "../telemetry/log.ts";
import { type Bearer, isOver, noLonger } from "./token-end.ts";

export interface RunningCallPorts {
  readonly registry: Pick<RegistryContext, "store" | "clock">;
  readonly log: (entry: LogEntry) => void;
}

interface Running {
  readonly bearer: Bearer;
  readonly ending: AbortController;
}

const LOOK_MS = 5000;

/** Calls that may take long. They end with the token that they were let in by, and with the agent that it acts as. */
export class RunningCalls {
  readonly #ports: RunningCallPorts;
  readonly #running = new Set<Running>();
  #timer: NodeJS.Timeout | undefined;

  constructor(ports: RunningCallPorts) {
    this.#ports = ports;
  }

  /** Does some work for as long as its bearer counts. After that nobody is answered by it, and its signal is aborted. */
  async run<T>(bearer: Bearer, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const running = { bearer, ending: new AbortController() };
    this.#add(running);
    try {
      // Until here nobody could end it, and a body may have taken long to come.
      if (await isOver(bearer, this.#ports.registry)) throw noLonger();
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

  /** Ends those whose end nobody heard of. It happens by itself; whoever cannot wait may call it. */
  async endOver(): Promise<void> {
    const { registry, log } = this.#ports;
    try {
      for (const { bearer, ending } of [...this.#running]) if (await isOver(bearer, registry)) ending.abort();
    } catch (error) {
      // The next look comes soon.
      log({ level: "error", event: "call.look_failed", error });
    }
  }

  #end(isMeant: (bearer: Bearer) => boolean): void {
    for (const { bearer, ending } of this.#running) if (isMeant(bearer)) ending.abort();
  }

  #add(running: Running): void {
    this.#running.add(running);
    this.#timer ??= setInterval(() => void this.endOver(), LOOK_MS).unref();
  }

  #remove(running: Running): void {
    this.#running.delete(running);
    if (this.#running.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

async function untilEnded<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  if (signal.aborted) throw noLonger();
  const ended = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => ended.reject(noLonger()), { once: true });
  return await Promise.race([work(), ended.promise]);
}
