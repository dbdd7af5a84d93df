import type { IndexedLibrary } from "@skillhold/core/library";
import type { Timers } from "@skillhold/core/port";
import { checkRuntimes, type RuntimeReport } from "@skillhold/deps/environment";
import type { DependencyPorts, GatewayContext } from "../gateway-context.ts";
import { BoundedQueue } from "../limit/bounded-queue.ts";
import { SharedSurveys, type Survey } from "./shared-survey.ts";
import { SkillChecks, type SkillChecksPorts } from "./skill-checks.ts";

const RUNTIME_CACHE_MS = 10_000;

/** Starts dependency checks in the background, when the gateway has the ports for them. */
export function dependencyWork({ dependencies, ...context }: GatewayContext): DependencyWork | undefined {
  if (dependencies === undefined) return undefined;
  const work = new DependencyWork({ ...context, dependencies }, context.library);
  work.checks.start();
  return work;
}

/** The dependency checks and installations of a running gateway. */
export class DependencyWork {
  readonly checks: SkillChecks;
  /** Runs one installation at a time. */
  readonly installs = new BoundedQueue();
  readonly surveys = new SharedSurveys<Survey>();
  /** The skills whose dependencies are checked. */
  readonly library: IndexedLibrary;
  readonly #ports: DependencyPorts;
  readonly #timers: Timers;
  #runtimes: Promise<RuntimeReport> | undefined;

  constructor(ports: SkillChecksPorts, library: IndexedLibrary) {
    this.library = library;
    this.#ports = ports.dependencies;
    this.#timers = ports.timers;
    this.checks = new SkillChecks(ports);
  }

  /** The runtimes of the machine, cached for a few seconds. */
  runtimes(): Promise<RuntimeReport> {
    if (this.#runtimes !== undefined) return this.#runtimes;
    const { host, findRuntime } = this.#ports;
    const report = checkRuntimes({ env: host.env, platform: host.platform, findRuntime });
    this.#runtimes = report;
    const forget = () => {
      this.#runtimes = undefined;
    };
    const forgetLater = () => this.#timers.after(RUNTIME_CACHE_MS, forget, { isBackground: true });
    report.then(forgetLater, forget);
    return report;
  }

  async close(): Promise<void> {
    await this.checks.close();
    // The running installation was canceled and reports that to its callers before this resolves.
    await this.installs.run(async () => {});
  }
}
