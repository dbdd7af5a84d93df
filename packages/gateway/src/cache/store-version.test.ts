import { expect, test } from "vitest";
import { StoreVersion } from "./store-version.ts";

/** A store whose version is set by hand, and that counts who asks for it. */
function open() {
  const state = { version: 1, asked: 0, answer: async (version: number) => version };
  const store = {
    version: () => {
      state.asked += 1;
      return state.answer(state.version);
    },
  };
  return { state, version: new StoreVersion(store) };
}

test("those who come in one turn share a question, and those of the next have another [S-55]", async () => {
  const { state, version } = open();
  expect(await Promise.all([version.current(), version.current(), version.current()])).toEqual([1, 1, 1]);
  expect(state.asked).toBe(1);
  await version.current();
  expect(state.asked).toBe(2);
});

test("the store is asked when all are there: what was committed before one of them is in its answer [S-55]", async () => {
  const { state, version } = open();
  const first = version.current();
  state.version = 2;
  const second = version.current();
  expect(await Promise.all([first, second])).toEqual([2, 2]);
});

test("whoever comes while the store is answering does not get that answer [S-55]", async () => {
  const { state, version } = open();
  const slow = Promise.withResolvers<number>();
  const asked = new Promise<void>((resolve) => {
    state.answer = () => {
      resolve();
      return slow.promise;
    };
  });
  const before = version.current();
  await asked;
  state.version = 2;
  state.answer = async (current) => current;
  expect(await version.current()).toBe(2);
  slow.resolve(1);
  expect(await before).toBe(1);
});

test("a store that cannot be asked fails those who asked, and nobody after them [S-55]", async () => {
  const { state, version } = open();
  state.answer = async () => {
    throw new Error("gone");
  };
  const asked = await Promise.allSettled([version.current(), version.current()]);
  expect(asked.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  state.answer = async (current) => current;
  expect(await version.current()).toBe(1);
});
