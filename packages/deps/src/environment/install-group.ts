import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { CommandResult } from "./command.ts";
import { affectsWholeGroup, describeFailure } from "./install-failure.ts";
import type { InstallTool } from "./install-tool.ts";
import type { ManagerOptions } from "./manager-run.ts";
import type { InstallSpec } from "./spec.ts";

export interface ItemResult {
  readonly spec: string;
  readonly status: "ok" | "failed" | "manual" | "skipped";
  /** The reason, or the step to take; empty when the package was installed. */
  readonly message: string;
  readonly durationMs: number;
}

export interface GroupOptions extends Omit<ManagerOptions, "timeoutMs"> {
  /** In milliseconds of `performance.now()`. */
  readonly deadline: number;
  /** The folder for trial installations. */
  readonly scratch: string;
}

/**
 * Installs all packages of one tool together, so that their versions fit. When that fails, tries each package
 * alone to find the ones that fail, and installs the others without them.
 */
export async function installGroup(
  specs: readonly InstallSpec[],
  tool: InstallTool | string,
  folder: string,
  options: GroupOptions,
): Promise<readonly ItemResult[]> {
  if (typeof tool === "string") return specs.map((spec) => failed(spec, tool, 0));
  const all = await timed(tool, specs, folder, options);
  if (all.result.code === 0) return specs.map((spec) => installed(spec, all.durationMs));
  if (specs.length === 1 || affectsWholeGroup(all.result)) {
    await tool.clean(folder);
    return specs.map((spec) => failed(spec, describeFailure(all.result), all.durationMs));
  }
  const tried = await tryEach(specs, tool, options);
  const good = specs.filter((_, at) => tried[at]?.status === "ok");
  const joint = good.length === 0 ? undefined : await timed(tool, good, folder, options);
  if (joint?.result.code === 0) return tried;
  await tool.clean(folder);
  if (joint === undefined) return tried;
  const problem = `conflicts with the other packages: ${describeFailure(joint.result)}`;
  return tried.map((item) => (item.status === "ok" ? { ...item, status: "failed", message: problem } : item));
}

async function tryEach(
  specs: readonly InstallSpec[],
  tool: InstallTool,
  options: GroupOptions,
): Promise<readonly ItemResult[]> {
  const results: ItemResult[] = [];
  for (const spec of specs) {
    const folder = join(options.scratch, "one");
    const { result, durationMs } = await timed(tool, [spec], folder, options);
    results.push(
      result.code === 0 ? installed(spec, durationMs) : failed(spec, describeFailure(result), durationMs),
    );
    await rm(folder, { recursive: true, force: true });
  }
  return results;
}

async function timed(
  tool: InstallTool,
  specs: readonly InstallSpec[],
  folder: string,
  { sandbox, empty, deadline, signal }: GroupOptions,
): Promise<{ readonly result: CommandResult; readonly durationMs: number }> {
  const started = performance.now();
  const timeoutMs = deadline - started;
  const result = await tool.install(specs, folder, {
    sandbox,
    empty,
    timeoutMs,
    ...(signal === undefined ? {} : { signal }),
  });
  return { result, durationMs: Math.round(performance.now() - started) };
}

function installed({ text }: InstallSpec, durationMs: number): ItemResult {
  return { spec: text, status: "ok", message: "", durationMs };
}

function failed({ text }: InstallSpec, reason: string, durationMs: number): ItemResult {
  return { spec: text, status: "failed", message: `${text}: ${reason}`, durationMs };
}
