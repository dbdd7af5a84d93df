import { setTimeout } from "node:timers/promises";
import type { SkillEvent } from "@skillhold/protocol";
import { followEvents } from "@skillhold/registry/audit";
import type { RegistryStore } from "@skillhold/registry/record";

export interface ChangeFeedOptions {
  readonly signal: AbortSignal;
  /** All skills there are. */
  readonly list: () => Promise<readonly string[]>;
  /** Told when the log could not be read; it is tried again. */
  readonly onProblem: (error: unknown) => void;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;

/**
 * Tells of all skills once, and then of each whose content, or use, is another one than before. When the log cannot be
 * read for a while, all are told of again: what went on meanwhile is not known.
 */
export async function followChanges(
  { signal, list, onProblem }: ChangeFeedOptions,
  store: Pick<RegistryStore, "eventsAfter" | "lastEvent" | "onCommit">,
  onChange: (ids: readonly string[]) => void,
): Promise<void> {
  for (let waitMs = FIRST_WAIT_MS; !signal.aborted; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    try {
      // The number first: what is committed meanwhile is told twice rather than not at all.
      const last = await store.lastEvent();
      onChange(await list());
      for await (const { event } of followEvents(last, { signal }, store)) {
        waitMs = FIRST_WAIT_MS;
        const id = changedSkill(event);
        if (id !== undefined) onChange([id]);
      }
    } catch (error) {
      if (signal.aborted) return;
      onProblem(error);
    }
    await setTimeout(waitMs, undefined, { signal, ref: false }).catch(() => {});
  }
}

/** The skill that has other content now, or is in use again. */
function changedSkill(event: SkillEvent): string | undefined {
  switch (event.type) {
    case "skill.published":
    case "skill.rolled_back":
    case "skill.restored":
      return event.skill;
    case "skill.toggled":
      return event.isEnabled && event.scope === "registry" ? event.skill : undefined;
    default:
      return undefined;
  }
}
