import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { CommandResult } from "./command.ts";
import { describeFailure, isOfAll } from "./install-failure.ts";
import type { InstallTool, ToolOptions } from "./install-tool.ts";
import type { InstallSpec } from "./spec.ts";

export interface ItemResult {
  readonly spec: string;
  readonly status: "ok" | "failed" | "manual" | "skipped";
  /** Why, or what is to be done; empty when it was installed. */
  readonly message: string;
  readonly durationMs: number;
}

export interface GroupOptions extends Omit<ToolOptions, "timeoutMs"> {
  /** By `performance.now()`. */
  readonly deadline: number;
  /** For what is only tried out. */
  readonly scratch: string;
}

/**
 * Installs what one tool installs. All together first, so that it fits together; when that fails, each is tried
 * alone to find out which ones are to blame, and the others are installed without them.
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
  if (specs.length === 1 || isOfAll(all.result)) {
    await tool.clean(folder);
    return specs.map((spec) => failed(spec, describeFailure(all.result), all.durationMs));
  }
  const tried = await tryEach(specs, tool, options);
  const good = specs.filter((_, at) => tried[at]?.status === "ok");
  const joint = good.length === 0 ? undefined : await timed(tool, good, folder, options);
  if (joint?.result.code === 0) return tried;
  await tool.clean(folder);
  if (joint === undefined) return tried;
  const problem = `it cannot be installed together with the others: ${describeFailure(joint.result)}`;
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
  { env, deadline, signal }: GroupOptions,
): Promise<{ readonly result: CommandResult; readonly durationMs: number }> {
  const started = performance.now();
  const timeoutMs = deadline - started;
  const result = await tool.install(specs, folder, {
    env,
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
