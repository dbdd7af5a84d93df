import type { Trust } from "@skillhold/protocol";
import type { Verdict } from "./policy.ts";

/** The administrator's settings, as plain data; missing ones come from `defaultRules`. */
export interface Rules {
  /** Whether third-party programs may have network at all. Each run still asks. */
  readonly thirdPartyNetwork: "deny" | "ask";
  /** Commands in instructions, which would run before a person reads them. */
  readonly shellInPrompt: TierVerdicts;
  /** Installing dependencies. */
  readonly install: TierVerdicts;
}

/** A tier never gets more than a more trusted one; `third_party` is never allowed without asking. */
export type TierVerdicts = Readonly<Record<Trust, Verdict>>;

/** From the most to the least trusted. */
export const tiers = ["builtin", "org", "user", "third_party"] as const satisfies readonly Trust[];

export const defaultRules: Rules = {
  thirdPartyNetwork: "deny",
  shellInPrompt: { builtin: "deny", org: "deny", user: "deny", third_party: "deny" },
  install: { builtin: "ask", org: "ask", user: "ask", third_party: "deny" },
};

const GRAVITY = { allow: 0, ask: 1, deny: 2 } as const satisfies Record<Verdict, number>;

/** Deny beats ask, and ask beats allow. */
export function isGraver(one: Verdict, other: Verdict): boolean {
  return GRAVITY[one] > GRAVITY[other];
}

/** The effective setting of a tier, limited by the more trusted tiers. */
export function tierVerdict(verdicts: TierVerdicts, tier: Trust): Verdict {
  const above = tiers.slice(0, tiers.indexOf(tier) + 1).map((each) => knownVerdict(verdicts[each]));
  const floor: Verdict = tier === "third_party" ? "ask" : "allow";
  return above.reduce((gravest, each) => (isGraver(each, gravest) ? each : gravest), floor);
}

/** Settings come from files: a missing or misspelled value must not permit anything. */
function knownVerdict(verdict: Verdict): Verdict {
  return Object.hasOwn(GRAVITY, verdict) ? verdict : "deny";
}
