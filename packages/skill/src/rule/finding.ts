import type { Position } from "../text/text.ts";
import type { RuleCode } from "./rule-table.ts";

/** A result of a check, before a profile assigns its severity. */
export interface Finding extends Position {
  readonly code: RuleCode;
  readonly message: string;
  /** A more specific fix than the rule's. */
  readonly fix?: string;
  /** The affected file, relative to the skill. Default: SKILL.md. */
  readonly file?: string;
}
