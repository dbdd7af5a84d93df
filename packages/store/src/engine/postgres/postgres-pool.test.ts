import { ManualTimers } from "@skillhold/core/test/manual-timers.fixture";
import { expect, test } from "vitest";
import type { PostgresConnection } from "./postgres-connection.ts";
import { PostgresPool } from "./postgres-pool.ts";

test("ends a connection that was idle for a minute, and not one that was used again", async () => {
  const timers = new ManualTimers();
  const { pool, opened } = fakePool(timers);
  const first = await pool.take(async () => {});
  pool.release(first.connection);
  timers.advance(59_999);
  const again = await pool.take(async () => {});
  expect(again.connection).toBe(first.connection);
  timers.advance(60_000);
  expect(opened[0]?.isEnded).toBe(false);
  pool.release(again.connection);
  timers.advance(60_000);
  expect(opened[0]?.isEnded).toBe(true);
  await pool.take(async () => {});
  expect(opened).toHaveLength(2);
});

test("closes with no timer left", async () => {
  const timers = new ManualTimers();
  const { pool, opened } = fakePool(timers);
  pool.release((await pool.take(async () => {})).connection);
  await pool.close();
  expect(opened[0]?.isEnded).toBe(true);
  expect(timers.delays).toEqual([]);
});

function fakePool(timers: ManualTimers) {
  const opened: { isEnded: boolean }[] = [];
  const connect = () => {
    const connection = {
      hasWorked: true,
      isLost: false,
      isEnded: false,
      end: async () => {
        connection.isEnded = true;
      },
    };
    opened.push(connection);
    // The pool uses these members only.
    return connection as unknown as PostgresConnection;
  };
  return { pool: new PostgresPool(connect, timers), opened };
}
