import { RegistryAudit } from "@skillhold/registry/audit";
import type { RegistryStore } from "@skillhold/registry/record";
import type { Question } from "@skillhold/registry/test/question/question";
import { type QuestionPorts, RegistryAsker } from "@skillhold/registry/test/question/registry-asker";
import { openRegistryStore } from "@skillhold/store/test/table/registry-store";
import { type Engine, openScene, type Scene } from "../registry/scene.ts";

/** Askers over one store, each with its own connections, as gateways have them. */
export interface AskerScene extends Scene {
  openDesk(
    change?: (store: RegistryStore) => RegistryStore,
    ports?: Partial<QuestionPorts>,
  ): Promise<RegistryAsker>;
  /** Waits until an asker lists this many open questions. */
  asked(desk: RegistryAsker, count?: number): Promise<readonly Question[]>;
}

export async function openDeskScene(engine: Engine): Promise<AskerScene> {
  const scene = await openScene(engine);
  const closing: (() => Promise<void>)[] = [];
  const { store, clock, ids, limits } = scene.context;
  return {
    ...scene,
    openDesk: async (change = (same) => same, ports = {}) => {
      const own = change(await openRegistryStore(scene.url));
      const audit = new RegistryAudit(own);
      const desk = new RegistryAsker({ store: own, audit, clock, ids, limits, ...ports });
      closing.push(async () => {
        await desk.close();
        await audit.close();
        await own.close();
      });
      return desk;
    },
    asked: (desk, count = 1) => untilAsked(desk, count, store),
    close: async () => {
      for (const close of closing.splice(0)) await close();
      await scene.close();
    },
  };
}

async function untilAsked(
  desk: RegistryAsker,
  count: number,
  store: RegistryStore,
): Promise<readonly Question[]> {
  for (;;) {
    const commit = Promise.withResolvers<void>();
    const stop = await store.onCommit(() => commit.resolve());
    try {
      const questions = await desk.listQuestions();
      if (questions.length === count) return questions;
      await commit.promise;
    } finally {
      await stop();
    }
  }
}
