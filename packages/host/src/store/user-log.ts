import type { AuditSink } from "@skillhold/core/port";
import type { SkillUse } from "@skillhold/core/session";
import type { SkillEvent } from "@skillhold/protocol";
import type { RegistryAudit } from "@skillhold/registry/audit";
import type { EventQuery, ListedEvent, RegistryStore, StoredEvent } from "@skillhold/registry/record";
import type { ProcessContext } from "../place/machine.ts";
import { storeUrl } from "../place/store-address.ts";

interface OpenedLog {
  readonly store: RegistryStore;
  readonly audit: RegistryAudit;
}

/**
 * The log of the user's own store as an audit sink. The first event opens, and creates, the store, so that commands that
 * record no event leave no file behind.
 */
export class UserLog implements AuditSink {
  readonly #place: ProcessContext;
  #opening: Promise<OpenedLog> | undefined;

  constructor(place: ProcessContext) {
    this.#place = place;
  }

  /** Opens the store now, for callers that record after they act. Throws when the store cannot be opened. */
  async ready(): Promise<void> {
    await this.#open();
  }

  async record(event: SkillEvent): Promise<void> {
    await this.recordAll([event]);
  }

  async recordAll(events: readonly SkillEvent[]): Promise<void> {
    const { audit } = await this.#open();
    await audit.recordAll(events);
  }

  /** The recent uses of skills in the log. */
  readonly uses = async (): Promise<ReadonlyMap<string, SkillUse>> => {
    const [{ store }, { recentUses }] = await Promise.all([
      this.#open(),
      import("@skillhold/registry/audit"),
    ]);
    return await recentUses(store);
  };

  /** The newest events of a type about a skill. */
  async eventsAbout(...query: Parameters<RegistryStore["eventsAbout"]>): Promise<readonly StoredEvent[]> {
    const { store } = await this.#open();
    return await store.eventsAbout(...query);
  }

  async listEvents(query: EventQuery): Promise<readonly ListedEvent[]> {
    const { store } = await this.#open();
    return await store.listEvents(query);
  }

  async close(): Promise<void> {
    if (this.#opening === undefined) return;
    const { audit, store } = await this.#opening;
    try {
      await audit.close();
    } finally {
      await store.close();
    }
  }

  #open(): Promise<OpenedLog> {
    this.#opening ??= openLog(this.#place).catch((error: unknown) => {
      // The next event tries again.
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }
}

/** Loads the store's modules only when an event is recorded. */
async function openLog(place: ProcessContext): Promise<OpenedLog> {
  const [{ openSignedStore }, { RegistryAudit }] = await Promise.all([
    import("./audit-store.ts"),
    import("@skillhold/registry/audit"),
  ]);
  const url = storeUrl(undefined, place);
  const store = await openSignedStore(url, place);
  return { store, audit: new RegistryAudit(store) };
}
