import { statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { CancelTimer, Timers } from "@skillhold/core/port";
import type { SkillError } from "@skillhold/protocol/error";
import { importProposalFile, writeProposalFile } from "@skillhold/registry/proposal";
import {
  openStates,
  type Proposal,
  type ProposalActor,
  type RegistryContext,
} from "@skillhold/registry/record";

export interface MirrorOptions {
  readonly folder: string;
  /** The author of dropped files. */
  readonly author: ProposalActor;
  readonly timers: Timers;
  /** Receives why a dropped file was not imported. */
  readonly onProblem: (file: string, problem: SkillError) => void;
  readonly onError: (error: unknown) => void;
}

const POLL_MS = 5000;
const PAGE = 200;
const TYPES = [
  "proposal.created",
  "proposal.reviewed",
  "proposal.withdrawn",
  "proposal.stale",
  "proposal.rebased",
  "proposal.applied",
];

/** Writes each proposal of a gateway as a Markdown file, and imports files that are dropped into the folder, each once. */
export class ProposalMirror {
  readonly #options: MirrorOptions;
  readonly #registry: RegistryContext;
  readonly #cancel: CancelTimer;
  /** The size and time of each file that was imported, written or refused. */
  readonly #seen = new Map<string, string>();
  #cursor: number | undefined;
  #working: Promise<void> | undefined;

  constructor(options: MirrorOptions, registry: RegistryContext) {
    this.#options = options;
    this.#registry = registry;
    this.#wake();
    this.#cancel = options.timers.every(POLL_MS, () => this.#wake());
  }

  async close(): Promise<void> {
    this.#cancel();
    await this.#working;
  }

  #wake(): void {
    this.#working ??= this.#work()
      .catch(this.#options.onError)
      .finally(() => {
        this.#working = undefined;
      });
  }

  async #work(): Promise<void> {
    this.#cursor ??= await this.#writeOpen();
    await this.#import();
    await this.#writeChanged();
  }

  /** After a start: proposals of other processes may have no file yet. Returns the number of the last event before. */
  async #writeOpen(): Promise<number> {
    const { store } = this.#registry;
    const last = await store.lastEvent();
    let after: Proposal | undefined;
    for (;;) {
      const page = await store.listProposals({ states: openStates, after, limit: PAGE });
      for (const proposal of page) await this.#write(proposal);
      after = page.at(-1);
      if (page.length < PAGE) return last;
    }
  }

  async #writeChanged(): Promise<void> {
    const { store } = this.#registry;
    for (;;) {
      const query = { after: this.#cursor, order: "oldest", types: TYPES, limit: PAGE } as const;
      const events = await store.listEvents(query);
      const ids = events.map(({ event }) => ("proposal" in event ? event.proposal : ""));
      for (const id of new Set(ids)) {
        const proposal = await store.findProposal(id);
        if (proposal !== undefined) await this.#write(proposal);
      }
      this.#cursor = events.at(-1)?.seq ?? this.#cursor;
      if (events.length < PAGE) return;
    }
  }

  async #write(proposal: Proposal): Promise<void> {
    const path = await writeProposalFile(this.#options.folder, proposal, this.#registry);
    this.#seen.set(path, stampOf(path));
  }

  async #import(): Promise<void> {
    const { folder, author, onProblem } = this.#options;
    const names = await readdir(folder).catch(() => []);
    for (const name of names.filter((each) => each.endsWith(".md")).sort()) {
      const path = join(folder, name);
      const stamp = stampOf(path);
      if (this.#seen.get(path) === stamp) continue;
      this.#seen.set(path, stamp);
      const { error } = await importProposalFile(path, folder, author, this.#registry);
      if (error !== undefined) onProblem(name, error);
    }
  }
}

/** A file that is written further is read again. */
function stampOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? "" : `${stats.size} ${stats.mtimeMs}`;
}
