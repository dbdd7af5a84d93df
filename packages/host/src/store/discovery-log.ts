import { hash } from "node:crypto";
import type { IndexCache, ShadowedSkill } from "@skillhold/core/library";
import { type AuditSink, type Clock, recordAll } from "@skillhold/core/port";
import type { SkillEvent } from "@skillhold/protocol";
import type { RegistryStore } from "@skillhold/registry/record";

export interface DiscoveryLogOptions {
  readonly audit: AuditSink;
  readonly log: Pick<RegistryStore, "eventsAbout" | "listEvents">;
  /** Remembers between starts what the log already has. */
  readonly cache?: IndexCache | undefined;
  /** Separates this log from others in the cache. */
  readonly name: string;
  /** Receives the first failure. A skill stays usable when its discovery cannot be recorded. */
  readonly onError: (error: unknown) => void;
}

type Discovery = Extract<SkillEvent, { type: "skill.discovered" | "skill.shadowed" }>;
const types: readonly Discovery["type"][] = ["skill.discovered", "skill.shadowed"];

interface KeyedDiscovery {
  readonly event: Discovery;
  /** Equal for equal discoveries. */
  readonly key: string;
}

/** How many events of a skill are compared before an event counts as new. */
const COMPARED = 100;

/** Records discovered and shadowed skills once: an event that the log already has is not recorded again. */
export class DiscoveryLog implements AuditSink {
  readonly #options: DiscoveryLogOptions;
  #known: Set<string> | undefined;
  #isChanged = false;
  #hasFailed = false;

  constructor(options: DiscoveryLogOptions) {
    this.#options = options;
  }

  async record(event: SkillEvent): Promise<void> {
    await this.recordAll([event]);
  }

  async recordAll(events: readonly SkillEvent[]): Promise<void> {
    const fresh = this.#addNew(events);
    if (fresh.length === 0) return;
    try {
      const unlogged = await this.#withoutLogged(fresh);
      await recordAll(
        this.#options.audit,
        unlogged.map(({ event }) => event),
      );
      this.#isChanged = true;
    } catch (error) {
      for (const { key } of fresh) this.#load().delete(key);
      if (this.#hasFailed) return;
      this.#hasFailed = true;
      this.#options.onError(error);
    }
  }

  /** The discoveries that are not known yet, which then are. */
  #addNew(events: readonly SkillEvent[]): readonly KeyedDiscovery[] {
    const known = this.#load();
    if (this.#hasFailed) return [];
    return events.filter(isDiscovery).flatMap((event) => {
      const key = keyOf(event);
      if (known.has(key)) return [];
      known.add(key);
      return { event, key };
    });
  }

  /** The first scan looks up no skill, because the log has no discoveries. */
  async #withoutLogged(fresh: readonly KeyedDiscovery[]): Promise<readonly KeyedDiscovery[]> {
    const { log } = this.#options;
    const { length } = await log.listEvents({ types, order: "newest", limit: 1 });
    if (length === 0) return fresh;
    const isLogged = await Promise.all(
      fresh.map(async ({ event: { skill, type }, key }) => {
        const events = await log.eventsAbout(skill, type, COMPARED);
        return events.some(({ event }) => isDiscovery(event) && keyOf(event) === key);
      }),
    );
    return fresh.filter((_, index) => !isLogged[index]);
  }

  #load(): Set<string> {
    const { cache, name } = this.#options;
    const bytes = this.#known === undefined ? cache?.load(cacheKey(name)) : undefined;
    this.#known ??= new Set(new TextDecoder().decode(bytes).split("\n"));
    return this.#known;
  }

  /** Saves what is known. Call it when the log is closed. */
  save(): void {
    const { cache, name } = this.#options;
    if (this.#isChanged && this.#known !== undefined)
      cache?.save(cacheKey(name), new TextEncoder().encode([...this.#known].join("\n")));
    this.#isChanged = false;
  }
}

/** Records the shadowed skills of a layered library, now and after each change. */
export function recordShadowing(
  library: { view(): { readonly shadowed: readonly ShadowedSkill[] } },
  audit: AuditSink,
  clock: Clock,
): Promise<void> {
  const at = clock.now().toISOString();
  const events = library.view().shadowed.map(({ id: skill, source, path, by }) => {
    return { type: "skill.shadowed", at, skill, source, path, by } as Discovery;
  });
  return recordAll(audit, events);
}

function cacheKey(name: string): string {
  return `discovered:${name}`;
}

function isDiscovery(event: SkillEvent): event is Discovery {
  return event.type === "skill.discovered" || event.type === "skill.shadowed";
}

function keyOf(event: Discovery): string {
  const content = event.type === "skill.discovered" ? event.skillHash : event.by.source;
  const parts = [event.type, event.skill, event.source, event.path, content];
  return hash("sha256", JSON.stringify(parts), "hex").slice(0, 24);
}
