import type { Access } from "../library/access.ts";
import type { Explanation } from "../library/library.ts";
import type { AnswerOf } from "./gateway-client.ts";

type Told = AnswerOf<"explainAll">["explanations"][number];

const reasons: ReadonlySet<string> = new Set<Explanation["reason"]>([
  "visible",
  "not-allowed",
  "disabled",
  "archived",
  "no-grant",
  "pin",
  "runtime",
  "unsupported",
  "user-only",
  "model-only",
  "shadowed",
  "invalid",
]);

/** What a gateway says of a candidate, and what the gate here adds to it; it is asked about what is visible there. */
export function toExplanation(told: Told, source: string, access: Access | undefined): Explanation {
  const { state, message, warnings } = told;
  const common = { id: told.id, path: told.path, source };
  if (state !== "visible") return { ...common, state, reason: reasonOf(told), message, warnings };
  if (access === undefined || access.isVisible)
    return { ...common, state, reason: "visible", message, warnings: access?.warnings ?? warnings };
  const { reason, message: why } = access;
  return { ...common, state: "hidden", reason, message: why, warnings: access.warnings };
}

/** A newer gateway may have a reason that is not known here; its message says it. */
function reasonOf({ state, reason }: Told): Explanation["reason"] {
  // It is one of the set.
  if (reasons.has(reason)) return reason as Explanation["reason"];
  return state === "shadowed" || state === "invalid" ? state : "not-allowed";
}
