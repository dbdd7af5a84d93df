import { routeTable } from "@skillhold/protocol/http";
import { expect, test } from "vitest";
import { type AnyReply, respond } from "./respond.ts";

const MB = 1024 * 1024;

function weighed(row: Parameters<typeof respond>[0], reply: AnyReply, method = "GET"): readonly number[] {
  const weights: number[] = [];
  const request = new Request("http://127.0.0.1/", { method });
  respond(row, reply, { request, requestId: "1", weigh: (bytes) => void weights.push(bytes) });
  return weights;
}

test("what is long is weighed before it is sent, whatever it was made of [S-53]", () => {
  const text = "ä".repeat(MB);
  expect(weighed(routeTable.readFile, { bytes: new Uint8Array(MB) })).toEqual([MB]);
  expect(weighed(routeTable.listEvents, { data: text })).toEqual([2 * MB + 2]);
  expect(weighed(routeTable.getCatalogue, { json: new Uint8Array(MB) })).toEqual([MB]);
});

test("what is not sent weighs nothing [S-53]", () => {
  expect(weighed(routeTable.readFile, { bytes: new Uint8Array(MB) }, "HEAD")).toEqual([]);
  expect(weighed(routeTable.readFile, { unchanged: "a" })).toEqual([]);
});
