import type { GuardFile, GuardReport, GuardScan } from "@skillhold/skill/guard";
import type { PublishHooks } from "../record/registry-context.ts";
import type { StagedSkill } from "../record/staged-skill.ts";

export interface GuardHookPorts {
  readonly scan: GuardScan;
  /** Asks the operator's policy program about the skill and adds its findings. */
  readonly policy?: (staged: StagedSkill, report: GuardReport, signal?: AbortSignal) => Promise<GuardReport>;
}

/** The content guard as a hook of publishing. */
export function guardHook({ scan, policy }: GuardHookPorts): NonNullable<PublishHooks["inspect"]> {
  return async (staged, signal) => {
    const files = staged.files.map(({ path, content }): GuardFile => ({ path, bytes: content }));
    const report = await scan(files, { name: staged.id, signal });
    return policy === undefined ? report : await policy(staged, report, signal);
  };
}
