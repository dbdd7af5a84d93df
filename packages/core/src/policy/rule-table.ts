import type { Trust } from "@skillhold/protocol";
import type { Act, PolicyRequest, Verdict } from "./policy.ts";
import { defaultRules, type Rules, tiers, tierVerdict } from "./rules.ts";

/** One row of the policy. */
export interface PolicyRow {
  readonly id: string;
  readonly title: string;
  /** A base row sets the verdict of a tier; a limit can only make it stricter. */
  readonly part: "base" | "limit";
  readonly when: Condition;
  readonly verdict: Verdict;
  readonly reason: string;
}

/** All given conditions must hold; a list matches any of its values. Plain data, so that it can be printed. */
export interface Condition {
  readonly act?: readonly Act[];
  readonly trust?: readonly Trust[];
  readonly network?: readonly PolicyRequest["network"][];
  readonly mounts?: readonly PolicyRequest["mounts"][];
  readonly hasSecrets?: boolean;
  readonly isUnsandboxed?: boolean;
  readonly mayRunUnsandboxed?: boolean;
}

/** The whole policy, in the order of explanation. */
export function policyTable(rules: Rules = defaultRules): readonly PolicyRow[] {
  return [...runRows(), ...shellRows(rules), ...installRows(rules), ...reachRows(rules), ...sandboxRows()];
}

const RUN: readonly Act[] = ["run_script", "call_tool"];
const REACHING = ["hosts", "open"] as const;

function runRows(): readonly PolicyRow[] {
  return [
    {
      id: "run-trusted",
      title: "Scripts and tools of built-in and organisation skills",
      part: "base",
      when: { act: RUN, trust: ["builtin", "org"] },
      verdict: "allow",
      reason: "The skill comes with the product or from your organization and runs in the sandbox.",
    },
    {
      id: "run-user",
      title: "Scripts and tools of skills that a user installed",
      part: "base",
      when: { act: RUN, trust: ["user"] },
      verdict: "ask",
      reason: "The skill is a user's own: its runs need one approval for this content.",
    },
    {
      id: "run-third-party",
      title: "Scripts and tools of strangers' skills",
      part: "base",
      when: { act: RUN, trust: ["third_party"] },
      verdict: "ask",
      reason: "The skill comes from a third party: it runs only after a person approves it.",
    },
  ];
}

function shellRows({ shellInPrompt }: Rules): readonly PolicyRow[] {
  return tiers.map((tier) => {
    const verdict = tierVerdict(shellInPrompt, tier);
    return {
      id: `shell-in-prompt-${tier.replace("_", "-")}`,
      title: `Commands in the instructions of ${TIER_NAMES[tier]} skills`,
      part: "base",
      when: { act: ["shell_in_prompt"], trust: [tier] },
      verdict,
      reason:
        verdict === "deny"
          ? "A command in instructions would run before anyone has read it; this is off for the tier (shellInPrompt)."
          : "The administrator lets this tier run commands from its instructions (shellInPrompt).",
    };
  });
}

function installRows({ install }: Rules): readonly PolicyRow[] {
  return tiers.map((tier) => {
    const verdict = tierVerdict(install, tier);
    return {
      id: `install-${tier.replace("_", "-")}`,
      title: `Installing what ${TIER_NAMES[tier]} skills depend on`,
      part: "base",
      when: { act: ["install"], trust: [tier] },
      verdict,
      reason: INSTALL_REASONS[verdict],
    };
  });
}

const TIER_NAMES: Readonly<Record<Trust, string>> = {
  builtin: "built-in",
  org: "organisation",
  user: "user-installed",
  third_party: "strangers'",
};

const INSTALL_REASONS: Readonly<Record<Verdict, string>> = {
  allow: "The administrator lets skills of this tier install packages unasked (install).",
  ask: "A package brings code from elsewhere: a person confirms each one.",
  deny: "Skills of this tier install nothing; an administrator can change that (install).",
};

function reachRows({ thirdPartyNetwork }: Rules): readonly PolicyRow[] {
  return [
    {
      id: "network",
      title: "Network",
      part: "limit",
      when: { network: REACHING },
      verdict: "ask",
      reason: "The run asks for network access, so data can leave this machine.",
    },
    {
      id: "network-third-party",
      title: "Network for strangers' skills",
      part: "limit",
      // Installations always need network and have their own setting.
      when: { act: [...RUN, "shell_in_prompt"], trust: ["third_party"], network: REACHING },
      verdict: thirdPartyNetwork === "ask" ? "ask" : "deny",
      reason:
        thirdPartyNetwork === "ask"
          ? "The administrator lets strangers' skills ask for network (thirdPartyNetwork)."
          : "Strangers' skills get no network unless an administrator permits it (thirdPartyNetwork).",
    },
    {
      id: "mount",
      title: "Files of this machine, to be read",
      part: "limit",
      when: { mounts: ["read"] },
      verdict: "ask",
      reason: "The run would read files of this machine.",
    },
    {
      id: "writable-mount",
      title: "Files of this machine, to be changed",
      part: "limit",
      when: { mounts: ["write"] },
      verdict: "ask",
      reason: "The run could change or delete files of this machine.",
    },
    {
      id: "secrets-third-party",
      title: "Secrets for strangers' skills",
      part: "limit",
      when: { trust: ["third_party"], hasSecrets: true },
      verdict: "ask",
      reason: "A third-party skill would read your secrets.",
    },
  ];
}

function sandboxRows(): readonly PolicyRow[] {
  return [
    {
      id: "unsandboxed-third-party",
      title: "Strangers' skills outside a sandbox",
      part: "limit",
      when: { trust: ["third_party"], isUnsandboxed: true },
      verdict: "deny",
      reason: "A third-party skill never runs without a sandbox. No setting allows it.",
    },
    {
      id: "unsandboxed-off",
      title: "Outside a sandbox, without both switches",
      part: "limit",
      when: { isUnsandboxed: true, mayRunUnsandboxed: false },
      verdict: "deny",
      reason: "No sandbox is available, and running without one needs both settings for it.",
    },
    {
      id: "unsandboxed-on",
      title: "Outside a sandbox, with both switches",
      part: "limit",
      when: { isUnsandboxed: true, mayRunUnsandboxed: true },
      verdict: "ask",
      reason: "The run would have no sandbox and could do everything that you can do on this machine.",
    },
  ];
}
