import { routeTable } from "@skillhold/protocol/http";
import { expect, test } from "vitest";
import { type AnyReply, respond } from "./response.ts";

const MB = 1024 * 1024;

async function reserved(
  row: Parameters<typeof respond>[0],
  reply: AnyReply,
  method = "GET",
): Promise<readonly number[]> {
  const reservations: number[] = [];
  const request = new Request("http://127.0.0.1/", { method });
  const reserve = (bytes: number) => void reservations.push(bytes);
  await respond(row, { ...reply, served: [] }, { request, requestId: "1", reserve, record: async () => {} });
  return reservations;
}

test("reserves memory for a long body of any kind [S-53]", async () => {
  const text = "ä".repeat(MB);
  expect(await reserved(routeTable.readFile, { bytes: new Uint8Array(MB) })).toEqual([MB]);
  expect(await reserved(routeTable.listEvents, { data: text })).toEqual([2 * MB + 2]);
  expect(await reserved(routeTable.getCatalogue, { json: new Uint8Array(MB) })).toEqual([MB]);
});

test("reserves no memory for a response without a body [S-53]", async () => {
  expect(await reserved(routeTable.readFile, { bytes: new Uint8Array(MB) }, "HEAD")).toEqual([]);
  expect(await reserved(routeTable.readFile, { unchanged: "a" })).toEqual([]);
});
