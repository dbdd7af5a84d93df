import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { SessionTable, type TableValue } from "./session-table.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

class Session implements TableValue {
  isBusy = false;
  hasListener = false;
  isClosed = false;
  async close() {
    this.isClosed = true;
  }
}

function open(bounds: { readonly most?: number; readonly mostOfCaller?: number } = {}) {
  const table = new SessionTable<Session>({
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
  return { table, add };
}

describe("what is kept for a caller", () => {
  test("is found by it alone [S-57]", () => {
    const { table, add } = open();
    const session = add("a", "ada");
    expect([table.find("a", "ada"), table.find("a", "bob"), table.find("b", "ada")]).toEqual([
      session,
      undefined,
      undefined,
    ]);
  });

  test("is closed when it is not used for long, but not while something is under way [S-57]", () => {
    const { table, add } = open();
    const [idle, busy] = [add("a", "ada"), add("b", "ada")];
    busy.isBusy = true;
    vi.advanceTimersByTime(120_000);
    expect([idle.isClosed, busy.isClosed]).toEqual([true, false]);
    expect(table.find("a", "ada")).toBeUndefined();
    busy.isBusy = false;
    vi.advanceTimersByTime(120_000);
    expect(busy.isClosed).toBe(true);
  });

  test("is counted while it is opened, so that many at once are not too many [S-57]", () => {
    const { table } = open();
    const places = [table.reserve("ada"), table.reserve("ada")];
    expect(table.reserve("ada")).toBeUndefined();
    places[0]?.free();
    expect(table.reserve("ada")).toBeDefined();
    expect(table.reserve("bob")).toBeDefined();
    expect(table.reserve("cy")).toBeUndefined();
  });

  test("stays while someone listens, unless the caller has no other place to give [S-57]", () => {
    const { add } = open();
    const heard = add("a", "ada");
    heard.hasListener = true;
    vi.advanceTimersByTime(120_000);
    expect(heard.isClosed).toBe(false);
    const unheard = add("b", "ada");
    const third = add("c", "ada");
    expect([heard.isClosed, unheard.isClosed]).toEqual([false, true]);
    third.hasListener = true;
    add("d", "ada");
    expect([heard.isClosed, third.isClosed]).toEqual([true, false]);
  });

  test("gives way to the caller's own new one, unless it is needed [S-57]", () => {
    const { table, add } = open();
    const [first, second] = [add("a", "ada"), add("b", "ada")];
    first.isBusy = true;
    add("c", "ada");
    expect([first.isClosed, second.isClosed]).toEqual([false, true]);
    for (const each of table.values()) each.isBusy = true;
    expect(table.reserve("ada")).toBeUndefined();
  });
});
