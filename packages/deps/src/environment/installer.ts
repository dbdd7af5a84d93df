import { realpath } from "node:fs/promises";
import type { Sandbox } from "@skillhold/core/run";
import type { Limits } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { buildEnvironment, type InstallScope, planEnvironment } from "./environment-build.ts";
import { isIsolated } from "./environment-folder.ts";
import { type Clear, withRecord } from "./install-clearance.ts";
import type { CommandArgv } from "./install-command.ts";
import { allInstalled, type InstallEvent, itemInstalled } from "./install-event.ts";
import type { ItemResult } from "./install-group.ts";
import { findInstallTools, type InstallTools } from "./install-tool.ts";
import type { EnvironmentPorts } from "./skill-environment.ts";
import { type InstallSpec, readSpec } from "./spec.ts";
import { installSystem, type SystemHost, systemStep } from "./system-install.ts";

export interface PackageInstallPlan {
  /** The skill's id, for events and messages. */
  readonly skill: string;
  /** Specs as skills write them. An invalid spec fails alone. */
  readonly specs: readonly string[];
  /** "skill" (default) uses the skill's own environment; "global" uses the one for all skills. */
  readonly scope?: InstallScope;
  /** True when an administrator explicitly permits changes to the system. */
  readonly mayChangeSystem?: boolean;
}

export interface InstallPorts extends EnvironmentPorts {
  /** No command runs before this resolves. */
  readonly clear: Clear;
  readonly host: SystemHost;
  /** Package managers run in it; without one, no package is installed. */
  readonly sandbox: Sandbox;
  readonly limits: Limits;
}

export interface InstallOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (event: InstallEvent) => void;
  /** Reports the commands without running them. */
  readonly dryRun?: boolean;
}

export interface InstallReport {
  /** One result per distinct spec, in the same order. */
  readonly results: readonly ItemResult[];
  /** The folder of the packages; undefined when no package was installed. */
  readonly environment?: string;
}

/**
 * Installs the dependencies of a skill. Each package fails alone. The caller checks the skill again
 * afterwards. Throws when the outcome cannot be recorded; installed packages stay.
 */
export async function installDependencies(
  plan: PackageInstallPlan,
  ports: InstallPorts,
  options: InstallOptions = {},
): Promise<InstallReport> {
  return await withRecord(plan.scope ?? "skill", ports.clear, (clear) =>
    new Installation(plan, { ...ports, clear }, options).run(),
  );
}

/** Throws SANDBOX_UNAVAILABLE: a package manager may run programs of strangers, so it never runs on the host. */
async function requireSandbox(sandbox: Sandbox): Promise<void> {
  const { isAvailable, problem } = await sandbox.probe();
  if (isAvailable && sandbox.id !== "none") return;
  const message = `Packages are installed only in a sandbox. ${problem?.message ?? "No sandbox is available."}`;
  throw new SkillError("SANDBOX_UNAVAILABLE", message, problem === undefined ? {} : { hint: problem.hint });
}

interface SystemCommand {
  readonly spec: InstallSpec;
  readonly argv: CommandArgv;
}

class Installation {
  readonly #plan: PackageInstallPlan;
  readonly #ports: InstallPorts;
  readonly #options: InstallOptions;
  readonly #deadline: number;
  /** Keyed by the text of the spec, in the order of the plan. */
  readonly #results = new Map<string, ItemResult>();

  constructor(plan: PackageInstallPlan, ports: InstallPorts, options: InstallOptions) {
    this.#plan = plan;
    this.#ports = ports;
    this.#options = options;
    this.#deadline = performance.now() + ports.limits.dependencyInstallMs;
  }

  async run(): Promise<InstallReport> {
    const { skill, scope = "skill" } = this.#plan;
    const specs = this.#readSpecs();
    const packages = specs.filter(isIsolated);
    const { isThere, folder: link } = await planEnvironment(packages, scope, this.#ports);
    const folder = isThere ? await realpath(link) : link;
    if (isThere) this.#note(packages, "skipped", "Already installed.");
    const open = isThere ? [] : packages;
    const commands = this.#planSystem(specs.filter((spec) => !isIsolated(spec)));
    const todo = [...open, ...commands.map(({ spec }) => spec)];
    if (todo.length === 0) return this.#report(isThere ? folder : undefined);
    const tools = await findInstallTools({ ...this.#ports, env: this.#ports.host.env });
    if (this.#options.dryRun === true) {
      this.#describe(open, commands, tools, folder);
      return this.#report(isThere ? folder : undefined);
    }
    if (open.length > 0) await requireSandbox(this.#ports.sandbox);
    await this.#ports.clear(todo);
    this.#notify({ type: "skill.deps.installing", skill, deps: todo.map(({ text }) => text) });
    const filled = open.length === 0 ? undefined : await this.#fill(open, scope, tools);
    await this.#runCommands(commands);
    const report = this.#report(isThere ? folder : filled);
    this.#notify(allInstalled(skill, report.results));
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
        this.#note([spec], "skipped", "Not tried.");
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
      else this.#note(specs, "skipped", `Would run: ${tool.command(specs, folder).join(" ")}`);
    }
    for (const { spec, argv } of commands) this.#note([spec], "skipped", `Would run: ${argv.join(" ")}`);
  }

  async #fill(
    packages: readonly InstallSpec[],
    scope: InstallScope,
    tools: InstallTools,
  ): Promise<string | undefined> {
    const { skill } = this.#plan;
    const { results, folder } = await buildEnvironment(
      {
        packages,
        scope,
        tools,
        sandbox: this.#ports.sandbox,
        onStart: ({ text: dep }) => this.#notify({ type: "skill.dep.item.installing", skill, dep }),
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
      this.#notify({ type: "skill.dep.item.installing", skill, dep: spec.text });
      this.#settle(await installSystem(spec, argv, this.#ports.host, this.#limits()));
    }
  }

  #limits(): { readonly deadline: number; readonly signal?: AbortSignal } {
    const { signal } = this.#options;
    return { deadline: this.#deadline, ...(signal === undefined ? {} : { signal }) };
  }

  #settle(result: ItemResult): void {
    this.#results.set(result.spec, result);
    this.#notify(itemInstalled(this.#plan.skill, result));
  }

  #note(specs: readonly InstallSpec[], status: ItemResult["status"], message: string): void {
    for (const { text } of specs) this.#results.set(text, { spec: text, status, message, durationMs: 0 });
  }

  #report(environment: string | undefined): InstallReport {
    const results = [...this.#results.values()];
    return environment === undefined ? { results } : { results, environment };
  }

  #notify(event: InstallEvent): void {
    this.#options.onProgress?.(event);
  }
}
