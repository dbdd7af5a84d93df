import { QueryObserver } from "@tanstack/react-query";
import { expect, test } from "vitest";
import { ConsoleQueries } from "./query-client.ts";

test("a change during the first fetch of a query is fetched too [S-59]", async () => {
  const client = new ConsoleQueries();
  const answers = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  let fetches = 0;
  const queryFn = () => answers[fetches++]?.promise ?? Promise.reject(new Error("fetched too often"));
  const observer = new QueryObserver(client, { queryKey: ["log"], queryFn, retry: false });
  const stop = observer.subscribe(() => {});
  const changed = client.invalidateQueries({ queryKey: ["log"] });
  answers[0]?.resolve("before the change");
  answers[1]?.resolve("after the change");
  await changed;
  expect([observer.getCurrentResult().data, fetches]).toEqual(["after the change", 2]);
  stop();
  client.clear();
});

test("a change after the first fetch of a query is fetched once [S-59]", async () => {
  const client = new ConsoleQueries();
  let fetches = 0;
  const observer = new QueryObserver(client, { queryKey: ["log"], queryFn: async () => ++fetches });
  const stop = observer.subscribe(() => {});
  await expect.poll(() => observer.getCurrentResult().data).toBe(1);
  await client.invalidateQueries({ queryKey: ["log"] });
  expect([observer.getCurrentResult().data, fetches]).toEqual([2, 2]);
  stop();
  client.clear();
});
