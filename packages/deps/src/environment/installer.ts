import type { Limits } from "@skillhold/protocol";
import { buildEnvironment, planEnvironment, type Scope } from "./environment-build.ts";
import { isIsolated } from "./environment-folder.ts";
import type { Argv } from "./install-command.ts";
import { allInstalled, type InstallEvent, itemInstalled } from "./install-event.ts";
import type { ItemResult } from "./install-group.ts";
import { type Clear, withRecord } from "./install-record.ts";
import { findTools, type InstallTools } from "./install-tool.ts";
import type { EnvironmentPorts } from "./skill-environment.ts";
import { type InstallSpec, readSpec } from "./spec.ts";
import { installSystem, type SystemHost, systemStep } from "./system-install.ts";

export interface InstallPlan {
  /** The skill's id: events and messages name it. */
  readonly skill: string;
  /** As skills write them; what is no spec fails by itself. */
  readonly specs: readonly string[];
  /** An environment of the skill's own, which is the default, or the one for all skills. */
  readonly scope?: Scope;
  /** An administrator's explicit yes to changing the system itself. */
  readonly mayChangeSystem?: boolean;
}

export interface InstallPorts extends EnvironmentPorts {
  /** Nothing is run before it has resolved. */
  readonly clear: Clear;
  readonly host: SystemHost;
  readonly limits: Limits;
}

export interface InstallOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (event: InstallEvent) => void;
  /** Says what would be done, and does nothing. */
  readonly dryRun?: boolean;
}

export interface InstallReport {
  /** One for each different spec, in their order. */
  readonly results: readonly ItemResult[];
  /** Where the packages lie; undefined when none was installed. */
  readonly environment?: string;
}

/**
 * Installs what a skill needs. What fails, fails by itself. Afterwards the caller checks again. Throws when it cannot be
 * recorded; what was installed stays.
 */
export async function installDependencies(
  plan: InstallPlan,
  ports: InstallPorts,
  options: InstallOptions = {},
): Promise<InstallReport> {
  return await withRecord(plan.scope ?? "skill", ports.clear, (clear) =>
    new Installation(plan, { ...ports, clear }, options).run(),
  );
}

interface SystemCommand {
  readonly spec: InstallSpec;
  readonly argv: Argv;
}

class Installation {
  readonly #plan: InstallPlan;
  readonly #ports: InstallPorts;
  readonly #options: InstallOptions;
  readonly #deadline: number;
  /** By the text of the spec, in the order of the plan. */
  readonly #results = new Map<string, ItemResult>();

  constructor(plan: InstallPlan, ports: InstallPorts, options: InstallOptions) {
    this.#plan = plan;
    this.#ports = ports;
    this.#options = options;
    this.#deadline = performance.now() + ports.limits.dependencyInstallMs;
  }

  async run(): Promise<InstallReport> {
    const { skill, scope = "skill" } = this.#plan;
    const specs = this.#readSpecs();
    const packages = specs.filter(isIsolated);
    const { isThere, folder } = await planEnvironment(packages, scope, this.#ports);
    if (isThere) this.#note(packages, "skipped", "It is installed already.");
    const open = isThere ? [] : packages;
    const commands = this.#planSystem(specs.filter((spec) => !isIsolated(spec)));
    const todo = [...open, ...commands.map(({ spec }) => spec)];
    if (todo.length === 0) return this.#report(isThere ? folder : undefined);
    const tools = await findTools({ ...this.#ports, env: this.#ports.host.env });
    if (this.#options.dryRun === true) {
      this.#describe(open, commands, tools, folder);
      return this.#report(isThere ? folder : undefined);
    }
    await this.#ports.clear(todo);
    this.#tell({ type: "skill.deps.installing", skill, deps: todo.map(({ text }) => text) });
    const filled = open.length === 0 ? undefined : await this.#fill(open, scope, tools);
    await this.#runCommands(commands);
    const report = this.#report(isThere ? folder : filled);
    this.#tell(allInstalled(skill, report.results));
    return report;
  }

  #readSpecs(): readonly InstallSpec[] {
    const found = new Map<string, InstallSpec>();
    for (const text of this.#plan.specs) {
      const spec = readSpec(text);
      if (typeof spec === "string") {
        this.#results.set(text, { spec: text, status: "failed", message: spec, durationMs: 0 });
      } else {
        found.set(spec.text, spec);
        this.#note([spec], "skipped", "It was not tried.");
      }
    }
    return [...found.values()];
  }

  #planSystem(specs: readonly InstallSpec[]): readonly SystemCommand[] {
    return specs.flatMap((spec) => {
      const step = systemStep(spec, this.#plan.mayChangeSystem === true, this.#ports.host);
      if (step.kind === "command") return [{ spec, argv: step.argv }];
      this.#note([spec], "manual", step.message);
      return [];
    });
  }

  #describe(
    open: readonly InstallSpec[],
    commands: readonly SystemCommand[],
    tools: InstallTools,
    folder: string,
  ): void {
    for (const manager of ["npm", "pip"] as const) {
      const specs = open.filter((spec) => spec.manager === manager);
      const tool = tools[manager];
      if (typeof tool === "string") this.#note(specs, "failed", tool);
      else this.#note(specs, "skipped", `It would run: ${tool.command(specs, folder).join(" ")}`);
    }
    for (const { spec, argv } of commands) this.#note([spec], "skipped", `It would run: ${argv.join(" ")}`);
  }

  async #fill(
    packages: readonly InstallSpec[],
    scope: Scope,
    tools: InstallTools,
  ): Promise<string | undefined> {
    const { skill } = this.#plan;
    const { results, folder } = await buildEnvironment(
      {
        packages,
        scope,
        tools,
        env: this.#ports.host.env,
        onStart: ({ text: dep }) => this.#tell({ type: "skill.dep.item.installing", skill, dep }),
        ...this.#limits(),
      },
      this.#ports,
    );
    for (const result of results) this.#settle(result);
    return folder;
  }

  async #runCommands(commands: readonly SystemCommand[]): Promise<void> {
    const { skill } = this.#plan;
    for (const { spec, argv } of commands) {
      this.#tell({ type: "skill.dep.item.installing", skill, dep: spec.text });
      this.#settle(await installSystem(spec, argv, this.#ports.host, this.#limits()));
    }
  }

  #limits(): { readonly deadline: number; readonly signal?: AbortSignal } {
    const { signal } = this.#options;
    return { deadline: this.#deadline, ...(signal === undefined ? {} : { signal }) };
  }

  #settle(result: ItemResult): void {
    this.#results.set(result.spec, result);
    this.#tell(itemInstalled(this.#plan.skill, result));
  }

  #note(specs: readonly InstallSpec[], status: ItemResult["status"], message: string): void {
    for (const { text } of specs) this.#results.set(text, { spec: text, status, message, durationMs: 0 });
  }

  #report(environment: string | undefined): InstallReport {
    const results = [...this.#results.values()];
    return environment === undefined ? { results } : { results, environment };
  }

  #tell(event: InstallEvent): void {
    this.#options.onProgress?.(event);
  }
}
