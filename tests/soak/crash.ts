import { randomInt, randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { scanDependencies } from "@skillhold/deps/scan";
import { defaultLimits } from "@skillhold/protocol";
import { fsck } from "@skillhold/registry/fsck";
import type { RegistryContext } from "@skillhold/registry/record";
import { getTree } from "@skillhold/registry/test/release/revisions";
import { openRegistryStore } from "@skillhold/store/test/table/registry-store";
import { fastClock } from "./fast-clock.ts";
import { type Acknowledged, startPublisher } from "./publisher-process.ts";

export interface CrashOptions {
  readonly url: string;
  /** For what publishers publish from. */
  readonly folder: string;
  readonly kills: number;
  /** Publishers that work at the same time. */
  readonly atOnce: number;
  /** How much faster than time the registry's clock goes. */
  readonly speed?: number;
  readonly onKill?: (kills: number) => void;
}

export interface CrashReport {
  readonly kills: number;
  readonly acknowledged: number;
  /** Acknowledged and not there, or with other content. */
  readonly lost: readonly string[];
  /** Seen after a kill and not whole. */
  readonly halfVisible: readonly string[];
  /** What fsck finds at the end that is more than waste. */
  readonly findings: readonly string[];
  /** What publishers said that ended for another reason. */
  readonly errors: readonly string[];
}

/** An hour of the registry in six seconds, so that graces end while processes are killed. */
const SPEED = 600;

/** Kills publishers at random instants, and looks after each kill at what they have left. */
export async function crash(options: CrashOptions): Promise<CrashReport> {
  const { url, folder, kills, atOnce, speed = SPEED, onKill } = options;
  const startedAt = Date.now();
  const clock = fastClock(startedAt, speed);
  const store = await openRegistryStore(url, { clock });
  const context: RegistryContext = {
    store,
    clock,
    ids: { next: () => randomUUID() },
    limits: defaultLimits,
    scan: scanDependencies,
  };
  const watch = new CrashWatch(context);
  let left = kills;
  let killed = 0;
  const killOne = async (): Promise<void> => {
    const publishing = { url, folder, startedAt, speed, count: 1_000_000, mix: "all" } as const;
    for (; left > 0; ) {
      left -= 1;
      const publisher = startPublisher(publishing);
      // Most die at work, and some while they open the store.
      if (left % 5 === 0) await setTimeout(randomInt(1500));
      else await publisher.begun.then(() => setTimeout(randomInt(250)));
      publisher.kill();
      watch.add(await publisher.ended);
      await watch.look();
      killed += 1;
      onKill?.(killed);
    }
  };
  try {
    await Promise.all(Array.from({ length: atOnce }, killOne));
    return { kills, ...(await watch.report()) };
  } finally {
    await store.close();
  }
}

class CrashWatch {
  readonly #context: RegistryContext;
  readonly #lost: string[] = [];
  readonly #halfVisible: string[] = [];
  readonly #errors: string[] = [];
  readonly #acknowledged: Acknowledged[] = [];
  #seen = 0;

  constructor(context: RegistryContext) {
    this.#context = context;
  }

  add({ acknowledged, errors }: { acknowledged: readonly Acknowledged[]; errors: string }): void {
    this.#acknowledged.push(...acknowledged);
    if (errors !== "") this.#errors.push(errors);
  }

  /** Checks that newly acknowledged revisions exist, and that current revisions are fully readable. */
  async look(): Promise<void> {
    const fresh = this.#acknowledged.slice(this.#seen);
    this.#seen = this.#acknowledged.length;
    for (const each of fresh) await this.#find(each);
    const { store } = this.#context;
    for (const { skill } of await store.listCurrent()) await this.#read(skill.id);
  }

  async report(): Promise<Omit<CrashReport, "kills">> {
    for (const each of this.#acknowledged) await this.#find(each);
    const { findings } = await fsck({}, this.#context);
    await fsck({ repair: true }, this.#context);
    const after = await fsck({}, this.#context);
    return {
      acknowledged: this.#acknowledged.length,
      lost: this.#lost,
      halfVisible: this.#halfVisible,
      findings: [...findings, ...after.findings]
        .filter(({ severity }) => severity !== "info")
        .map(({ code, subject, message }) => `${code} ${subject}: ${message}`),
      errors: this.#errors,
    };
  }

  async #find({ id, revision, treeHash }: Acknowledged): Promise<void> {
    const { store } = this.#context;
    const skill = await store.findSkill(id);
    const found = skill === undefined ? undefined : await store.findRevision(skill.uid, revision);
    if (found?.treeHash !== treeHash) this.#lost.push(`${id}@${revision}`);
  }

  /** Other publishers continue meanwhile, so a skill that changed during the read is read again. */
  async #read(id: string): Promise<void> {
    const { store } = this.#context;
    for (let attempt = 1; ; attempt += 1) {
      const skill = await store.findSkill(id);
      if (skill?.treeHash === undefined || skill.status === "deleted") return;
      try {
        for (const { digest } of await getTree(skill.treeHash, store)) await store.blobs.get(digest);
        return;
      } catch (error) {
        if ((await store.findSkill(id))?.revision !== skill.revision && attempt < 20) continue;
        this.#halfVisible.push(`${id}@${skill.revision}: ${String(error)}`);
        return;
      }
    }
  }
}
