import type { Answer } from "../../api/client.ts";
import type { Tone } from "../../ui/badge.tsx";

export type InstallAnswer = Answer<"POST /v1/skills/install">;
export type Preview = InstallAnswer["previews"][number];
export type Result = InstallAnswer["skills"][number];

const plans: Readonly<Record<Preview["plan"], { readonly text: string; readonly tone: Tone }>> = {
  install: { text: "new", tone: "accent" },
  update: { text: "update", tone: "accent" },
  merge: { text: "update, merged with your edits", tone: "accent" },
  replace: { text: "replaces a skill", tone: "warn" },
  unchanged: { text: "up to date", tone: "good" },
  conflict: { text: "conflicts with your edits", tone: "bad" },
};

export function planOf({ plan }: Preview): { readonly text: string; readonly tone: Tone } {
  return plans[plan];
}

/** Whether there is something to install. */
export function isInstallable({ plan }: Preview): boolean {
  return plan !== "unchanged" && plan !== "conflict";
}

export function versionOf({ origin }: Preview): string | undefined {
  return origin.release ?? origin.commit?.slice(0, 12);
}

export function proofOf({ signature, origin }: Preview): { readonly text: string; readonly tone: Tone } {
  if (signature.status === "verified")
    return { text: `signed by ${signature.signer ?? "a trusted key"}`, tone: "good" };
  if (signature.status === "untrusted")
    return { text: `signature not trusted: ${signature.reason ?? ""}`, tone: "warn" };
  if (signature.status === "invalid") return { text: "signature does not match", tone: "bad" };
  return origin.verified === "digest"
    ? { text: "digest checked, not signed", tone: "neutral" }
    : { text: "no digest, not signed", tone: "warn" };
}

/** The results by id. */
export function resultsOf(answer: InstallAnswer | undefined): ReadonlyMap<string, Result> {
  return new Map((answer?.skills ?? []).map((result) => [String(result["id"]), result]));
}
