import { type LibraryMaker, libraryContract } from "@skillhold/core/test/library/library.contract";
import { RegistryLibrary } from "@skillhold/registry/library";
import type { RegistryStore } from "@skillhold/registry/record";
import { afterAll } from "vitest";
import { changeRow, putSkills } from "./put-skills.ts";
import { engines, FreshStores } from "./store.fixture.ts";

for (const engine of engines) {
  const stores = new FreshStores(engine);
  afterAll(() => stores.close());
  libraryContract(`a registry in ${engine}`, () => registryMaker(stores));
}

function registryMaker(stores: FreshStores): LibraryMaker {
  let store: RegistryStore | undefined;
  return {
    open: async (skills, settings = {}) => {
      store = await stores.open();
      await putSkills(skills, store);
      return await stores.library(store, { settings });
    },
    replace: async (library, skills) => {
      if (store === undefined || !(library instanceof RegistryLibrary)) return;
      const kept = new Set(skills.map(({ folder }) => folder));
      for (const { skill } of await store.listCurrent())
        if (!kept.has(skill.id)) await changeRow(skill.id, { status: "deleted" }, store);
      await putSkills(skills, store);
      await library.refresh();
    },
  };
}
