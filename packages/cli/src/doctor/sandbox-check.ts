import type { LimitKind, Sandbox } from "@skillhold/core/run";
import { type Check, fail, ok, warn } from "./check.ts";

/** Whether scripts of skills can be run here, and how well they are confined. */
export async function checkSandbox(sandbox: Pick<Sandbox, "id" | "probe">): Promise<Check> {
  const name = "sandbox";
  const { isAvailable, problem, version, checks, enforced } = await sandbox.probe();
  const broken = checks
    .filter(({ isConfined }) => !isConfined)
    .map(({ title, detail }) => `${title}: ${detail}`);
  const fix = "`skillhold sandbox test` shows what holds and what does not.";
  if (broken.length > 0) return fail(name, "The sandbox does not confine everything.", fix, broken);
  if (!isAvailable)
    return warn(
      name,
      `Nothing can be run: ${problem?.message ?? "there is no sandbox."}`,
      problem?.hint ?? fix,
    );
  const limits = (Object.keys(enforced) as readonly LimitKind[]).filter((kind) => enforced[kind] !== "run");
  const weak = limits.map((kind) =>
    enforced[kind] === "process" ? `${kind} is limited for each process alone` : `${kind} is not limited`,
  );
  return ok(name, `Scripts run in ${sandbox.id}${version === undefined ? "" : ` ${version}`}.`, weak);
}
