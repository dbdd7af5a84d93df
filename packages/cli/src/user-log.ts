import type { AuditSink } from "@skillhold/core/port";
import type { SkillEvent } from "@skillhold/protocol";
import type { RegistryAudit } from "@skillhold/registry/audit";
import type { RegistryStore } from "@skillhold/registry/record";
import type { Io } from "./output.ts";
import { storeUrl } from "./store-address.ts";

interface OpenedLog {
  readonly store: RegistryStore;
  readonly audit: RegistryAudit;
}

/**
 * The log of the user's own store as a sink. The store is opened, and made, by the first record: who only looks at
 * approvals leaves nothing behind. What is recorded after it is done needs `ready` before.
 */
export class UserLog implements AuditSink {
  readonly #io: Pick<Io, "env" | "cwd">;
  #opening: Promise<OpenedLog> | undefined;

  constructor(io: Pick<Io, "env" | "cwd">) {
    this.#io = io;
  }

  /** Opens the store. Throws where it cannot be opened: what is to be recorded afterwards is then not done. */
  async ready(): Promise<void> {
    await this.#open();
  }

  async record(event: SkillEvent): Promise<void> {
    const { audit } = await this.#open();
    await audit.record(event);
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
    this.#opening ??= open(this.#io).catch((error: unknown) => {
      // The next record may have more luck.
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }
}

/** What it takes is loaded only now: most commands record nothing. */
async function open(io: Pick<Io, "env" | "cwd">): Promise<OpenedLog> {
  const [{ checkpointsOf, openSignedStore }, { RegistryAudit }] = await Promise.all([
    import("./audit-store.ts"),
    import("@skillhold/registry/audit"),
  ]);
  const url = storeUrl({}, io);
  const store = await openSignedStore(url, io);
  const notes = checkpointsOf(url, io);
  return { store, audit: new RegistryAudit(store, { witness: (note) => notes.append(note) }) };
}
