import { neutralText } from "@skillhold/core/text";
import { SkillError } from "@skillhold/protocol/error";
import type { InstallPlan, Prepared } from "@skillhold/registry/install";
import { describeManifest } from "@skillhold/skill/guard";
import { type Io, plain } from "../terminal/output.ts";
import { askLine } from "../terminal/prompt.ts";
import { count, formatSize } from "../terminal/text.ts";

/** A skill to be installed, and what that would do. */
export interface Proposal {
  readonly prepared: Prepared;
  readonly plan: InstallPlan;
}

const SHOWN_FILES = 12;

/** What a person sees before they say yes. */
export function formatPreview({ prepared, plan }: Proposal, now: Date): string {
  const { staged, origin } = prepared;
  const from = origin.spec ?? origin.origin ?? "";
  const version = origin.release ?? origin.commit?.slice(0, 12);
  const lines = [
    `${staged.id}: ${actionOf(plan)} from ${from}${version === undefined ? "" : ` at ${version}`}`,
    `  Does        ${neutralText(staged.record.description, 300)}`,
    `  Files       ${filesOf(prepared)}`,
    `  Proof       ${proofOf(prepared)}`,
    `  Age         ${ageOf(prepared, now)}`,
    ...findingsOf(prepared),
    ...changesOf(plan),
    ...(origin.warnings ?? []).map((warning) => `  Warning     ${neutralText(warning, 500)}`),
    ...(plan.kind === "apply"
      ? plan.concerns.map((concern) => `  Attention   ${neutralText(concern, 500)}`)
      : []),
  ];
  return lines.map((line) => `${plain(line)}\n`).join("");
}

function actionOf(plan: InstallPlan): string {
  if (plan.kind !== "apply") return plan.kind === "unchanged" ? "unchanged" : "conflict";
  return {
    install: "install",
    update: "update",
    merge: "update, merged with your edits",
    replace: "replace",
  }[plan.action];
}

function filesOf({ staged: { files, bytes } }: Prepared): string {
  const runnable = files.filter(({ executable, path }) => executable || path.startsWith("scripts/"));
  const shown = files.slice(0, SHOWN_FILES).map(({ path }) => neutralText(path, 80));
  const more = files.length > SHOWN_FILES ? `, and ${files.length - SHOWN_FILES} more` : "";
  const scripts = runnable.length === 0 ? "no scripts" : count(runnable.length, "script");
  return `${count(files.length, "file")}, ${formatSize(bytes)}, ${scripts}: ${shown.join(", ")}${more}`;
}

function proofOf({ signature, origin }: Prepared): string {
  switch (signature.status) {
    case "verified":
      return `signed by ${neutralText(signature.signer, 120)} (${signature.format}, ${signature.keyId})`;
    case "untrusted":
      return signature.missing === undefined
        ? `signature not trusted: ${signature.reason} (${signature.format}, ${signature.keyId})`
        : `signature not checked: ${signature.reason}`;
    case "invalid":
      return `signature does not fit: ${signature.reason}`;
    case "none":
      return origin.verified === "digest" ? "digest checked, no signature" : "no digest, no signature";
  }
}

function ageOf({ firstSeen, origin }: Prepared, now: Date): string {
  const days = Math.max(0, Math.floor((now.getTime() - Date.parse(firstSeen)) / 86_400_000));
  const when = days === 0 ? "today" : `${count(days, "day")} ago`;
  return origin.releasedAt === undefined ? `first seen ${when}` : `released ${when}`;
}

function findingsOf({ guard, staged }: Prepared): readonly string[] {
  const all = [...guard.findings, ...staged.diagnostics.filter(({ severity }) => severity === "warning")];
  const capabilities =
    guard.capabilities === undefined
      ? []
      : describeManifest(guard.capabilities).map((line) => `  Can         ${neutralText(line, 200)}`);
  const findings = all
    .slice(0, SHOWN_FILES)
    .map(({ severity, code, message }) => `  Finding     ${severity} ${code}: ${neutralText(message, 200)}`);
  return [...capabilities, ...findings];
}

function changesOf(plan: InstallPlan): readonly string[] {
  if (plan.kind === "conflict")
    return plan.conflicts.map(({ path, reason }) => `  Conflict    ${neutralText(path, 200)} (${reason})`);
  if (plan.kind !== "apply" || plan.action === "install") return [];
  return plan.changes
    .slice(0, SHOWN_FILES)
    .map(({ path, change }) => `  ${change.padEnd(11)} ${neutralText(path, 200)}`);
}

export interface Consent {
  readonly isYes: boolean;
  readonly acceptsChanges: boolean;
}

/** Asks once for all. Throws unless the answer is a clear yes. */
export async function confirm(io: Io, proposals: readonly Proposal[], consent: Consent): Promise<void> {
  const concerns = proposals.flatMap(({ plan }) => (plan.kind === "apply" ? plan.concerns : []));
  const warnings = proposals.flatMap(({ prepared }) => prepared.origin.warnings ?? []);
  const isCovered = consent.acceptsChanges || concerns.length + warnings.length === 0;
  if (consent.isYes && isCovered) return;
  if (consent.isYes)
    throw new SkillError(
      "APPROVAL_REQUIRED",
      `--yes does not cover this: ${[...concerns, ...warnings].join(" ")}`,
      {
        hint: "Look at the change, then add --accept-changes, or run it at a terminal and answer.",
      },
    );
  const tty = await io.tty();
  if (tty === undefined)
    throw new SkillError(
      "APPROVAL_REQUIRED",
      `${count(proposals.length, "skill")} would be installed without a yes.`,
      {
        hint: "Run this at a terminal, or add --yes.",
      },
    );
  try {
    const answer =
      (await askLine(tty, `Install ${count(proposals.length, "skill")}? [no] `, io.signal)) ?? "";
    if (["y", "yes"].includes(answer.trim().toLowerCase())) return;
  } finally {
    tty.close();
  }
  throw new SkillError("APPROVAL_DENIED", "The skills were not installed.", {
    hint: "Run it again to install them.",
  });
}
