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
  /** The rule that lets the viewer use the skill; only for visible skills. */
  readonly rule?: AccessRule;
  /** The entry for the viewer: its pinned revision, or the current one. */
  readonly entry: SkillEntry;
  /** The decision in a sentence. */
  readonly message: string;
  /** Warnings for the viewer. */
  readonly warnings: readonly string[];
}

/** Ids of skills that are switched off. */
export interface DisabledIds {
  has(id: string): boolean;
  /** All of them; each change replaces the set. Without it, decisions are not kept between calls. */
  readonly state?: ReadonlySet<string>;
}

export interface AccessSettings {
  /** Skills that are off for everyone, from every source. */
  readonly disabled?: DisabledIds | undefined;
  /** Skills in folders that are off; a skill of a registry has its own switch. */
  readonly disabledFolders?: DisabledIds | undefined;
}

/** The settings at this moment; later changes do not alter them. */
export function currentSettings({ disabled, disabledFolders }: AccessSettings): AccessSettings {
  const now = (ids: DisabledIds | undefined) => ids && (ids.state ?? { has: (id: string) => ids.has(id) });
  return { disabled: now(disabled), disabledFolders: now(disabledFolders) };
}

export function isSameSettings(a: AccessSettings, b: AccessSettings): boolean {
  return a.disabled === b.disabled && a.disabledFolders === b.disabledFolders;
}

/** Decisions of people and checks about a skill. The shelf provides them; folders have no decisions. */
export interface SkillDecision {
  readonly isEnabled: boolean;
  readonly status: SkillStatus;
  /** Why the skill is not active: `deps`, or a person's reason. */
  readonly reason: string | undefined;
  /** Who may use the skill; without it, every viewer of the shelf. */
  readonly ownership?: Ownership;
}

/** The only access decision. Every listing, search, read and run uses it, and `explain` prints it. */
export function decideAccess(
  entry: SkillEntry,
  viewer: Viewer,
  settings: AccessSettings = {},
  standing?: SkillDecision,
): Access {
  if (viewer.allow !== undefined && !viewer.allow.includes(entry.id)) {
    return hidden(
      entry,
      "not-allowed",
      viewer.allow.length === 0
        ? "The viewer's allow list is empty."
        : "The skill is not on the viewer's allow list.",
    );
  }
  if (isOff(entry, settings, standing)) return hidden(entry, "disabled", "The skill is disabled.");
  if (standing !== undefined && standing.status !== "active" && !waitsForDependencies(standing))
    return hidden(entry, "archived", archivedMessage(standing));
  const found = findRule(viewer, standing?.ownership);
  if (found === undefined) return hidden(entry, "no-grant", noGrantMessage(viewer, standing?.ownership));
  const pin = pinOf(entry.id, viewer, standing?.ownership);
  const shown = findShown(entry, pin, standing);
  if (shown === undefined)
    return hidden(entry, "pin", `The viewer is pinned to revision ${pin}, which does not exist.`);
  const refused = refuseShown(shown, viewer);
  if (refused !== undefined) return hidden(entry, refused.reason, refused.message);
  return {
    isVisible: true,
    reason: "visible",
    rule: found.rule,
    entry: shown,
    message: visibleMessage(found.because, pin),
    warnings: warningsOf(shown, standing),
  };
}

function hidden(entry: SkillEntry, reason: AccessReason, message: string): Access {
  return { isVisible: false, reason, entry, message, warnings: NO_WARNINGS };
}

/**
 * Whether this viewer may have a skill, enabled or not. A skill that the viewer may not have must not shadow another
 * one with the same id, because it does not exist for the viewer.
 */
export function isOpenTo(entry: SkillEntry, viewer: Viewer, standing: SkillDecision | undefined): boolean {
  if (findRule(viewer, standing?.ownership) === undefined) return false;
  return findShown(entry, pinOf(entry.id, viewer, standing?.ownership), standing) !== undefined;
}

function isOff(
  { id }: SkillEntry,
  { disabled, disabledFolders }: AccessSettings,
  standing: SkillDecision | undefined,
): boolean {
  if (disabled?.has(id)) return true;
  return standing === undefined ? (disabledFolders?.has(id) ?? false) : !standing.isEnabled;
}

/** Missing dependencies do not hide a skill: it recovers by itself, and until then its users get a warning. */
function waitsForDependencies({ status, reason }: SkillDecision): boolean {
  return status === "archived" && reason === "deps";
}

function archivedMessage({ status, reason }: SkillDecision): string {
  return reason === undefined ? `The skill is ${status}.` : `The skill is ${status}: ${reason}.`;
}

function noGrantMessage({ agent, user }: Viewer, ownership: Ownership | undefined): string {
  const who = [
    ...(agent === undefined ? [] : [`the agent ${agent}`]),
    ...(user === undefined ? [] : [`the user ${user}`]),
  ];
  const whom = who.length === 0 ? "a viewer without a name" : who.join(" or ");
  return `The skill is ${ownership?.visibility ?? "private"} and not granted to ${whom}.`;
}

function findShown(
  entry: SkillEntry,
  pin: number | undefined,
  standing: SkillDecision | undefined,
): SkillEntry | undefined {
  if (pin === undefined || pin === entry.revision) return entry;
  return standing?.ownership?.revision(pin);
}

/** The skill's own rules about hosts and invokers. */
function refuseShown(
  entry: SkillEntry,
  viewer: Viewer,
): { readonly reason: AccessReason; readonly message: string } | undefined {
  if (!fitsRuntime(entry.runtime, viewer.runtime))
    return { reason: "runtime", message: runtimeSkipLine(entry.id, entry.runtime, viewer.runtime) };
  if (entry.readiness.state === "unsupported")
    return {
      reason: "unsupported",
      message: `The skill does not work here: ${entry.readiness.reasons.join("; ")}.`,
    };
  const invoker = viewer.invoker ?? "model";
  if (invoker === "model" && !entry.invocation.model)
    return { reason: "user-only", message: "Only a user can activate the skill, by name." };
  if (invoker === "user" && !entry.invocation.user)
    return { reason: "model-only", message: "Users cannot activate the skill by name." };
  return undefined;
}

function visibleMessage(because: string | undefined, pin: number | undefined): string {
  if (because === undefined && pin === undefined) return "The skill is visible.";
  const why = because === undefined ? "The skill is visible" : `The skill is visible: ${because}`;
  return pin === undefined ? `${why}.` : `${why}. The viewer is pinned to revision ${pin}.`;
}

const NO_WARNINGS: readonly never[] = Object.freeze([]);

function warningsOf({ readiness }: SkillEntry, standing: SkillDecision | undefined): readonly string[] {
  const lacks = readiness.state === "ready" ? NO_WARNINGS : readiness.reasons;
  if (standing === undefined || !waitsForDependencies(standing)) return lacks;
  return [...lacks, "The skill is archived until its dependencies are installed."];
}
