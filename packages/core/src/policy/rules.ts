import type { Trust } from "@skillhold/protocol";
import type { Verdict } from "./policy.ts";

/** What an administrator can set. All of it is plain data; what is left out is as in `defaultRules`. */
export interface Rules {
  /** Whether strangers' programs may have network at all. Even then each run is asked for. */
  readonly thirdPartyNetwork: "deny" | "ask";
  /** Commands inside instructions, which would run before anyone has read them. */
  readonly shellInPrompt: TierVerdicts;
  /** The installation of what a skill depends on. */
  readonly install: TierVerdicts;
}

/** A tier is never treated better than one that is trusted more, whatever is set; `third_party` is never allowed unasked. */
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

/** What really holds for a tier, given what is set for it and for those above it. */
export function tierVerdict(verdicts: TierVerdicts, tier: Trust): Verdict {
  const above = tiers.slice(0, tiers.indexOf(tier) + 1).map((each) => knownVerdict(verdicts[each]));
  const floor: Verdict = tier === "third_party" ? "ask" : "allow";
  return above.reduce((gravest, each) => (isGraver(each, gravest) ? each : gravest), floor);
}

/** Settings come from files: what is missing or misspelt there must not permit anything. */
function knownVerdict(verdict: Verdict): Verdict {
  return Object.hasOwn(GRAVITY, verdict) ? verdict : "deny";
}
