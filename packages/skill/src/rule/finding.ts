import type { Position } from "../text/text.ts";
import type { RuleCode } from "./rule-table.ts";

/** What a check noticed, before a profile says how grave it is. */
export interface Finding extends Position {
  readonly code: RuleCode;
  readonly message: string;
  /** What to change, when the rule's general advice is not the best there is. */
  readonly fix?: string;
  /** The file it is about, relative to the skill, when that is not SKILL.md. */
  readonly file?: string;
}
