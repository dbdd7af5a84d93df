import type { Need, NeedCheck } from "@skillhold/core/dependency";
import type { RuntimeKind } from "@skillhold/core/run";
import { SkillError } from "@skillhold/protocol/error";
import type { Runtime } from "@skillhold/sandbox/backend";
import { environmentPlaces } from "./environment-folder.ts";
import { findProgram, findSandboxProgram } from "./program-lookup.ts";

/** Whether a run in the sandbox would find a program. It is never started. */
export async function checkProgram(
  need: Need,
  environment: string | undefined,
  { findRuntime }: { readonly findRuntime: (kind: RuntimeKind) => Promise<Runtime> },
): Promise<NeedCheck> {
  const kind = INTERPRETERS.get(need.name);
  const isThere =
    kind === undefined ? await isOnPath(need.name, environment) : await isRuntime(kind, findRuntime);
  return { need, answer: isThere ? "ok" : "missing" };
}

/** Interpreters that a run is given wherever they lie. */
const INTERPRETERS: ReadonlyMap<string, RuntimeKind> = new Map<string, RuntimeKind>([
  ["python3", "python"],
  ["python", "python"],
  ["node", "node"],
]);

async function isRuntime(
  kind: RuntimeKind,
  findRuntime: (kind: RuntimeKind) => Promise<Runtime>,
): Promise<boolean> {
  try {
    await findRuntime(kind);
    return true;
  } catch (error) {
    if (error instanceof SkillError) return false;
    throw error;
  }
}

async function isOnPath(name: string, environment: string | undefined): Promise<boolean> {
  if ((await findSandboxProgram(name)) !== undefined) return true;
  if (environment === undefined) return false;
  return (await findProgram(name, environmentPlaces(environment).programs.join(":"))) !== undefined;
}
