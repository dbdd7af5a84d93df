import type { SkillEntry } from "@skillhold/protocol";
import { fitsRuntime, runtimeSkipLine } from "../skill/index.ts";
import type { Viewer } from "./viewer.ts";

export type AccessReason =
  | "visible"
  | "not-allowed"
  | "disabled"
  | "runtime"
  | "unsupported"
  | "user-only"
  | "model-only";

export interface Access {
  readonly isVisible: boolean;
  readonly reason: AccessReason;
  /** The decision in a sentence. */
  readonly message: string;
  /** What the viewer should know before using the skill. */
  readonly warnings: readonly string[];
}

export interface AccessSettings {
  /** Ids that were switched off for everyone. */
  readonly disabled?: ReadonlySet<string>;
}

/** The one gate. Everything that shows, finds, reads or runs a skill asks here, and `explain` prints the answer. */
export function decideAccess(entry: SkillEntry, viewer: Viewer, settings: AccessSettings = {}): Access {
  const { id } = entry;
  if (viewer.allow !== undefined && !viewer.allow.includes(id)) {
    return hidden(
      "not-allowed",
      viewer.allow.length === 0
        ? "The viewer may use no skills."
        : "It is not on the viewer's list of skills.",
    );
  }
  if (settings.disabled?.has(id)) return hidden("disabled", "It is switched off.");
  if (!fitsRuntime(entry.runtime, viewer.runtime)) {
    return hidden("runtime", runtimeSkipLine(id, entry.runtime, viewer.runtime));
  }
  if (entry.readiness.state === "unsupported")
    return hidden("unsupported", `It does not work here: ${entry.readiness.reasons.join("; ")}.`);
  const invoker = viewer.invoker ?? "model";
  if (invoker === "model" && !entry.invocation.model)
    return hidden("user-only", "Only a user may start it, by name.");
  if (invoker === "user" && !entry.invocation.user)
    return hidden("model-only", "It is not offered to users by name.");
  return {
    isVisible: true,
    reason: "visible",
    message: "It is visible.",
    warnings: readinessWarnings(entry),
  };
}

function readinessWarnings({ readiness }: SkillEntry): readonly string[] {
  return readiness.state === "ready" ? [] : readiness.reasons;
}

function hidden(reason: AccessReason, message: string): Access {
  return { isVisible: false, reason, message, warnings: [] };
}
