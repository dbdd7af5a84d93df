import { hash } from "node:crypto";
import type { IndexCache, ShadowedSkill } from "@skillhold/core/library";
import type { AuditSink, Clock } from "@skillhold/core/port";
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

/** How many events of a skill are compared before an event counts as new. */
const COMPARED = 100;

/** Records discovered and shadowed skills once: an event that the log already has is not recorded again. */
export class DiscoveryLog implements AuditSink {
  readonly #options: DiscoveryLogOptions;
  #known: Set<string> | undefined;
  #hasAny: Promise<boolean> | undefined;
  #isChanged = false;
  #hasFailed = false;

  constructor(options: DiscoveryLogOptions) {
    this.#options = options;
  }

  async record(event: SkillEvent): Promise<void> {
    if (event.type !== "skill.discovered" && event.type !== "skill.shadowed") return;
    const known = this.#load();
    const key = keyOf(event);
    if (this.#hasFailed || known.has(key)) return;
    known.add(key);
    try {
      if (!(await this.#isLogged(event, key))) await this.#options.audit.record(event);
      this.#isChanged = true;
    } catch (error) {
      known.delete(key);
      if (this.#hasFailed) return;
      this.#hasFailed = true;
      this.#options.onError(error);
    }
  }

  async #isLogged({ skill, type }: Discovery, key: string): Promise<boolean> {
    if (!(await this.#hasDiscoveries())) return false;
    const events = await this.#options.log.eventsAbout(skill, type, COMPARED);
    return events.some(({ event }) => isDiscovery(event) && keyOf(event) === key);
  }

  /** One query for all concurrent events: the first scan would otherwise look up every skill in a log without discoveries. */
  #hasDiscoveries(): Promise<boolean> {
    this.#hasAny ??= this.#options.log
      .listEvents({ types, order: "newest", limit: 1 })
      .then(({ length }) => length > 0)
      .finally(() => {
        this.#hasAny = undefined;
      });
    return this.#hasAny;
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
): Promise<unknown> {
  const at = clock.now().toISOString();
  const { shadowed } = library.view();
  return Promise.all(
    shadowed.map(({ id: skill, source, path, by }) =>
      audit.record({ type: "skill.shadowed", at, skill, source, path, by } as Discovery),
    ),
  );
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
