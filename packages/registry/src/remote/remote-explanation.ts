import type { Access, Explanation } from "@skillhold/core/library";
import type { Limits } from "@skillhold/protocol/limits";
import type { AnswerOf, GatewayClient } from "./gateway-client.ts";
import type { Looking } from "./looking.ts";
import { badAnswer, remoteFailed } from "./remote-failure.ts";

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

const PAGE = "1000";

/** All that a gateway says of candidates, page by page, up to as many as it may have skills. */
export async function listExplanations(
  looking: Looking,
  { client, limits }: { readonly client: GatewayClient; readonly limits: Pick<Limits, "remoteSkills"> },
): Promise<readonly Told[]> {
  const all: Told[] = [];
  for (let cursor: string | undefined; ; ) {
    const query = { ...looking, limit: PAGE, cursor };
    const { explanations, nextCursor } = (await client.ask("explainAll", { query })).data;
    all.push(...explanations);
    if (all.length > limits.remoteSkills)
      throw remoteFailed(
        `The gateway ${client.address} explains more than ${limits.remoteSkills} skills (remoteSkills).`,
        { hint: "Look as an agent that may use fewer, or raise the limit." },
      );
    if (nextCursor === undefined) return all;
    if (explanations.length === 0) throw badAnswer(client.address, "it lists pages without skills.");
    cursor = nextCursor;
  }
}

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
