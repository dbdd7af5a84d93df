import type { IndexedLibrary } from "@skillhold/core/library";
import { expect, test } from "vitest";
import { ViewVersion } from "./view-version.ts";

/** A shelf and a store whose changes, and word of them, are given by hand. */
function open(engine: "sqlite" | "postgres") {
  const state = {
    view: {},
    next: {},
    looks: 0,
    failure: undefined as Error | undefined,
    wait: Promise.resolve(),
  };
  const parts = {
    refresh: async () => {
      state.looks += 1;
      await state.wait;
      if (state.failure !== undefined) throw state.failure;
      state.view = state.next;
    },
    view: () => state.view,
  };
  state.next = state.view;
  // Only these parts of a library are used.
  const library = { ...parts, onChange: () => () => {} } as unknown as IndexedLibrary;
  let tell = () => {};
  const onCommit = async (listener: () => void) => {
    tell = listener;
    return async () => {};
  };
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const clock = { now: () => new Date(1000) };
  const version = new ViewVersion({ library, store: { engine, onCommit }, clock, onError });
  return { state, version, errors, tell: () => tell() };
}

test("queries SQLite on every call [S-55]", async () => {
  const { state, version } = open("sqlite");
  const first = await version.current();
  state.next = {};
  const second = await version.current();
  expect(second).toBeGreaterThan(first);
  expect(await version.current()).toBe(second);
  expect(state.looks).toBe(3);
});

test("skips the refresh when the store has the version of the last one [S-55]", async () => {
  const { state, version } = open("sqlite");
  const first = await version.current(true, 5);
  expect(await version.current(true, 5)).toBe(first);
  expect(state.looks).toBe(1);
  state.next = {};
  expect(await version.current(false, 6)).toBeGreaterThan(first);
  expect(state.looks).toBe(2);
  // Skills in folders change without the store.
  state.view = {};
  const third = await version.current(true, 6);
  expect(third).toBeGreaterThan(first + 1);
  expect(state.looks).toBe(2);
});

test("a failed refresh does not count for its version [S-55]", async () => {
  const { state, version } = open("sqlite");
  state.failure = new Error("gone");
  await expect(version.current(true, 5)).rejects.toThrow("gone");
  await expect(version.current(true, 5)).rejects.toThrow("gone");
  state.failure = undefined;
  await version.current(true, 5);
  expect(state.looks).toBe(3);
});

test("queries PostgreSQL after a notification, after an own commit, and for strict calls [S-55]", async () => {
  const { state, version, tell } = open("postgres");
  const first = await version.current();
  await version.current();
  const { looks } = state;
  state.next = {};
  expect(await version.current()).toBe(first);
  expect(state.looks).toBe(looks);
  tell();
  expect(await version.current()).toBeGreaterThan(first);
  version.expire();
  await version.current();
  await version.current(true);
  expect(state.looks).toBe(looks + 3);
});

test("calls during a refresh wait for it [S-55]", async () => {
  const { state, version, tell } = open("postgres");
  const first = await version.current();
  const gate = Promise.withResolvers<void>();
  state.wait = gate.promise;
  state.next = {};
  tell();
  const asked = [version.current(), version.current()];
  gate.resolve();
  for (const each of asked) expect(await each).toBeGreaterThan(first);
});

test("rejects calls while the store cannot be read [S-55]", async () => {
  const { state, version, tell } = open("postgres");
  await version.current();
  state.failure = new Error("gone");
  tell();
  await expect(version.current()).rejects.toThrow("gone");
  await expect(version.current()).rejects.toThrow("gone");
  state.failure = undefined;
  expect(await version.current()).toBeGreaterThan(0);
});

test("notifies listeners of changes, and a failing listener affects no other [S-55]", async () => {
  const { state, version, tell, errors } = open("postgres");
  const told: number[] = [];
  await version.current();
  version.onChange(() => {
    throw new Error("deaf");
  });
  const heard = new Promise<void>((resolve) => {
    version.onChange((number) => {
      told.push(number);
      resolve();
    });
  });
  state.next = {};
  tell();
  await heard;
  expect(told).toEqual([await version.current()]);
  expect(errors).toHaveLength(1);
  await version.close();
  state.next = {};
  await version.current(true);
  expect(told).toHaveLength(1);
});
