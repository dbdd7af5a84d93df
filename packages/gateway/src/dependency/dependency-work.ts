import { checkRuntimes, type RuntimeReport } from "@skillhold/deps/environment";
import type { DependencyPorts, GatewayContext } from "../gateway-context.ts";
import { Turn } from "../limit/turn.ts";
import { SharedSurveys, type Survey } from "./shared-survey.ts";
import { SkillChecks, type SkillChecksPorts } from "./skill-checks.ts";

const REMEMBERED_MS = 10_000;

/** Begins to look at dependencies, where a gateway has what that takes; nobody waits for it. */
export function dependencyWork({ dependencies, ...context }: GatewayContext): DependencyWork | undefined {
  if (dependencies === undefined) return undefined;
  const work = new DependencyWork({ ...context, dependencies });
  work.checks.start();
  return work;
}

/** What goes on about dependencies for as long as a gateway runs. */
export class DependencyWork {
  readonly checks: SkillChecks;
  /** One installation at a time. */
  readonly installs = new Turn();
  readonly surveys = new SharedSurveys<Survey>();
  readonly #ports: DependencyPorts;
  #runtimes: Promise<RuntimeReport> | undefined;

  constructor(ports: SkillChecksPorts) {
    this.#ports = ports.dependencies;
    this.checks = new SkillChecks(ports);
  }

  /** As they were a few seconds ago at most. */
  runtimes(): Promise<RuntimeReport> {
    if (this.#runtimes !== undefined) return this.#runtimes;
    const { host, findRuntime } = this.#ports;
    const found = checkRuntimes({ env: host.env, platform: host.platform, findRuntime });
    this.#runtimes = found;
    const forget = () => {
      this.#runtimes = undefined;
    };
    found.then(() => setTimeout(forget, REMEMBERED_MS).unref(), forget);
    return found;
  }

  async close(): Promise<void> {
    await this.checks.close();
    // What is being installed was called off, and says so to those who wait for it.
    await this.installs.take(async () => {});
  }
}
