import type { Diagnostic } from "@skillhold/protocol";
import type { StagedSkill } from "../record/staged-skill.ts";

/** Looks at the content of a skill before it is installed. */
export type Guard = (staged: StagedSkill) => Promise<GuardReport>;

export interface GuardReport {
  /** One that is an error refuses the skill. */
  readonly findings: readonly Diagnostic[];
  /** What the skill's code can do, by name; undefined where no guard looked. */
  readonly capabilities: Readonly<Record<string, unknown>> | undefined;
}

export const noGuard: Guard = async () => ({ findings: [], capabilities: undefined });
