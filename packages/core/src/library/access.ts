import type { SkillEntry, SkillStatus } from "@skillhold/protocol";
import { fitsRuntime, runtimeSkipLine } from "@skillhold/skill";
import { type AccessRule, findRule, type Ownership, pinOf } from "./ownership.ts";
import type { Viewer } from "./viewer.ts";

export type AccessReason =
  | "visible"
  | "not-allowed"
  | "disabled"
  | "archived"
  | "no-grant"
  | "pin"
  | "runtime"
  | "unsupported"
  | "user-only"
  | "model-only";

export interface Access {
  readonly isVisible: boolean;
  readonly reason: AccessReason;
  /** By which rule the viewer may use it; only for what is visible. */
  readonly rule?: AccessRule;
  /** What the viewer gets: the revision it is held to, or else the one that counts. */
  readonly entry: SkillEntry;
  /** The decision in a sentence. */
  readonly message: string;
  /** What the viewer should know before using the skill. */
  readonly warnings: readonly string[];
}

export interface AccessSettings {
  /** Ids that were switched off for everyone, wherever the skill is. */
  readonly disabled?: Pick<ReadonlySet<string>, "has">;
  /** Ids of skills in folders that were switched off; one of a registry has a switch of its own. */
  readonly disabledFolders?: Pick<ReadonlySet<string>, "has">;
}

/** What people and checks have decided about a skill, beside what it says itself. Its shelf has it; a folder has none. */
export interface Standing {
  readonly isEnabled: boolean;
  readonly status: SkillStatus;
  /** Why it is not active: `deps`, or someone's words. */
  readonly reason: string | undefined;
  /** Who may use it; without it, whoever can look at the shelf. */
  readonly ownership?: Ownership;
}

/** The one gate. Everything that shows, finds, reads or runs a skill asks here, and `explain` prints the answer. */
export function decideAccess(
  entry: SkillEntry,
  viewer: Viewer,
  settings: AccessSettings = {},
  standing?: Standing,
): Access {
  const hidden = (reason: AccessReason, message: string): Access => {
    return { isVisible: false, reason, entry, message, warnings: [] };
  };
  if (viewer.allow !== undefined && !viewer.allow.includes(entry.id)) {
    return hidden(
      "not-allowed",
      viewer.allow.length === 0
        ? "The viewer may use no skills."
        : "It is not on the viewer's list of skills.",
    );
  }
  if (isOff(entry, settings, standing)) return hidden("disabled", "It is switched off.");
  if (standing !== undefined && standing.status !== "active" && !waitsForDependencies(standing))
    return hidden("archived", archivedMessage(standing));
  const found = findRule(viewer, standing?.ownership);
  if (found === undefined) return hidden("no-grant", noGrantMessage(viewer, standing?.ownership));
  const pin = pinOf(entry.id, viewer, standing?.ownership);
  const shown = findShown(entry, pin, standing);
  if (shown === undefined) return hidden("pin", `The viewer is held to revision ${pin}, which is not there.`);
  const refused = refuseShown(shown, viewer);
  if (refused !== undefined) return hidden(refused.reason, refused.message);
  return {
    isVisible: true,
    reason: "visible",
    rule: found.rule,
    entry: shown,
    message: visibleMessage(found.because, pin),
    warnings: warningsOf(shown, standing),
  };
}

/**
 * Whether a skill is this viewer's to have, on or off. Where another skill of the same id is, one that is not leaves it
 * the place: it would else be kept from a viewer by what does not exist for it.
 */
export function isOpenTo(entry: SkillEntry, viewer: Viewer, standing: Standing | undefined): boolean {
  if (findRule(viewer, standing?.ownership) === undefined) return false;
  return findShown(entry, pinOf(entry.id, viewer, standing?.ownership), standing) !== undefined;
}

function isOff(
  { id }: SkillEntry,
  { disabled, disabledFolders }: AccessSettings,
  standing: Standing | undefined,
): boolean {
  if (disabled?.has(id)) return true;
  return standing === undefined ? (disabledFolders?.has(id) ?? false) : !standing.isEnabled;
}

/** What a skill lacks hides it from nobody: it comes back by itself, and until then whoever uses it is warned. */
function waitsForDependencies({ status, reason }: Standing): boolean {
  return status === "archived" && reason === "deps";
}

function archivedMessage({ status, reason }: Standing): string {
  return reason === undefined ? `It is ${status}.` : `It is ${status}: ${reason}.`;
}

function noGrantMessage({ agent, user }: Viewer, ownership: Ownership | undefined): string {
  const who = [
    ...(agent === undefined ? [] : [`the agent ${agent}`]),
    ...(user === undefined ? [] : [`the user ${user}`]),
  ];
  const whom = who.length === 0 ? "a viewer without a name" : who.join(" or ");
  return `It is ${ownership?.visibility ?? "private"}, and not granted to ${whom}.`;
}

function findShown(
  entry: SkillEntry,
  pin: number | undefined,
  standing: Standing | undefined,
): SkillEntry | undefined {
  if (pin === undefined || pin === entry.revision) return entry;
  return standing?.ownership?.revision(pin);
}

/** What the skill says itself of where and by whom it is used. */
function refuseShown(
  entry: SkillEntry,
  viewer: Viewer,
): { readonly reason: AccessReason; readonly message: string } | undefined {
  if (!fitsRuntime(entry.runtime, viewer.runtime))
    return { reason: "runtime", message: runtimeSkipLine(entry.id, entry.runtime, viewer.runtime) };
  if (entry.readiness.state === "unsupported")
    return {
      reason: "unsupported",
      message: `It does not work here: ${entry.readiness.reasons.join("; ")}.`,
    };
  const invoker = viewer.invoker ?? "model";
  if (invoker === "model" && !entry.invocation.model)
    return { reason: "user-only", message: "Only a user may start it, by name." };
  if (invoker === "user" && !entry.invocation.user)
    return { reason: "model-only", message: "It is not offered to users by name." };
  return undefined;
}

function visibleMessage(because: string | undefined, pin: number | undefined): string {
  const why = because === undefined ? "It is visible" : `It is visible: ${because}`;
  return pin === undefined ? `${why}.` : `${why}. The viewer is held to revision ${pin}.`;
}

function warningsOf({ readiness }: SkillEntry, standing: Standing | undefined): readonly string[] {
  const lacks = readiness.state === "ready" ? [] : readiness.reasons;
  if (standing === undefined || !waitsForDependencies(standing)) return lacks;
  return [...lacks, "It is archived until its dependencies are there."];
}
