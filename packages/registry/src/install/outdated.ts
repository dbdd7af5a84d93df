import { SkillError } from "@skillhold/protocol/error";
import type { CheckedSkill } from "./install-state.ts";
import type { PlanContext } from "./plan.ts";
import type { PrepareContext } from "./prepare.ts";
import type { Installed } from "./target.ts";
import { checkUpdate, type UpdateCheck, type UpdateOptions } from "./update.ts";

/** Checks one installed skill for an update. A source that fails is a result. */
export async function checkOutdated(
  installed: Installed,
  options: UpdateOptions,
  context: PrepareContext & PlanContext,
): Promise<CheckedSkill> {
  try {
    return describe(await checkUpdate(installed, options, context));
  } catch (error) {
    if (!(error instanceof SkillError) || error.code === "INTERRUPTED") throw error;
    return { status: "failed", error: { code: error.code, message: error.message } };
  }
}

function describe(check: UpdateCheck): CheckedSkill {
  if (check.kind === "current" || check.kind === "pinned") return { status: check.kind };
  const { origin, staged } = check.prepared;
  const latest = versionName(origin) ?? staged.treeHash.slice(0, 19);
  if (check.kind === "waiting") return { status: "waiting", latest, until: check.until };
  return { status: check.plan.kind === "conflict" ? "conflict" : "outdated", latest };
}

/** The name of a version for people. */
export function versionName({
  release,
  commit,
}: {
  readonly release?: string | undefined;
  readonly commit?: string | undefined;
}): string | undefined {
  return release ?? commit?.slice(0, 12);
}
