import { expect, test } from "vitest";
import { StoreVersion } from "./store-version.ts";

/** A store with a manual version that counts queries. */
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

test("requests of one turn share a query, and the next turn has its own [S-55]", async () => {
  const { state, version } = open();
  expect(await Promise.all([version.current(), version.current(), version.current()])).toEqual([1, 1, 1]);
  expect(state.asked).toBe(1);
  await version.current();
  expect(state.asked).toBe(2);
});

test("the query runs after all requests of the turn arrived, so it covers earlier commits [S-55]", async () => {
  const { state, version } = open();
  const first = version.current();
  state.version = 2;
  const second = version.current();
  expect(await Promise.all([first, second])).toEqual([2, 2]);
});

test("a request during a query gets a new query [S-55]", async () => {
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

test("a failed query fails only its own requests [S-55]", async () => {
  const { state, version } = open();
  state.answer = async () => {
    throw new Error("gone");
  };
  const asked = await Promise.allSettled([version.current(), version.current()]);
  expect(asked.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  state.answer = async (current) => current;
  expect(await version.current()).toBe(1);
});
