import { ManualTimers } from "@skillhold/core/test/manual-timers.fixture";
import { describe, expect, test } from "vitest";
import { SessionTable, type TableValue } from "./session-table.ts";

class Session implements TableValue {
  isBusy = false;
  hasListener = false;
  isClosed = false;
  async close() {
    this.isClosed = true;
  }
}

function open(bounds: { readonly most?: number; readonly mostOfCaller?: number } = {}) {
  const timers = new ManualTimers();
  const table = new SessionTable<Session>({
    timers,
    idleMs: 60_000,
    most: 3,
    mostOfCaller: 2,
    onError: () => {},
    ...bounds,
  });
  const add = (key: string, caller: string) => {
    const session = new Session();
    table.reserve(caller)?.fill(key, session);
    return session;
  };
  return { table, add, timers };
}

describe("a value of a caller", () => {
  test("is found only by that caller [S-57]", () => {
    const { table, add } = open();
    const session = add("a", "ada");
    expect([table.find("a", "ada"), table.find("a", "bob"), table.find("b", "ada")]).toEqual([
      session,
      undefined,
      undefined,
    ]);
  });

  test("is closed when it is idle, and not while work is running [S-57]", () => {
    const { table, add, timers } = open();
    const [idle, busy] = [add("a", "ada"), add("b", "ada")];
    busy.isBusy = true;
    timers.advance(120_000);
    expect([idle.isClosed, busy.isClosed]).toEqual([true, false]);
    expect(table.find("a", "ada")).toBeUndefined();
    busy.isBusy = false;
    timers.advance(120_000);
    expect(busy.isClosed).toBe(true);
  });

  test("counts while it is being opened [S-57]", () => {
    const { table } = open();
    const places = [table.reserve("ada"), table.reserve("ada")];
    expect(table.reserve("ada")).toBeUndefined();
    places[0]?.free();
    expect(table.reserve("ada")).toBeDefined();
    expect(table.reserve("bob")).toBeDefined();
    expect(table.reserve("cy")).toBeUndefined();
  });

  test("stays while a client listens, unless the caller has no other slot [S-57]", () => {
    const { add, timers } = open();
    const heard = add("a", "ada");
    heard.hasListener = true;
    timers.advance(120_000);
    expect(heard.isClosed).toBe(false);
    const unheard = add("b", "ada");
    const third = add("c", "ada");
    expect([heard.isClosed, unheard.isClosed]).toEqual([false, true]);
    third.hasListener = true;
    add("d", "ada");
    expect([heard.isClosed, third.isClosed]).toEqual([true, false]);
  });

  test("is replaced by the caller's new one, unless it is busy [S-57]", () => {
    const { table, add } = open();
    const [first, second] = [add("a", "ada"), add("b", "ada")];
    first.isBusy = true;
    add("c", "ada");
    expect([first.isClosed, second.isClosed]).toEqual([false, true]);
    for (const each of table.values()) each.isBusy = true;
    expect(table.reserve("ada")).toBeUndefined();
  });
});
