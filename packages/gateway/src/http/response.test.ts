import { brotliDecompressSync, gunzipSync } from "node:zlib";
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

const rows = {
  events: Array.from({ length: 500 }, (_, seq) => ({ seq, text: "the same words" })),
  last: 500,
};

async function answered(
  headers: Readonly<Record<string, string>>,
  reply: AnyReply = { data: rows },
  row: Parameters<typeof respond>[0] = routeTable.listEvents,
): Promise<Response> {
  const request = new Request("http://127.0.0.1/", { headers });
  const ports = { request, requestId: "1", reserve: () => {}, record: async () => {} };
  return await respond(row, { ...reply, served: [] }, ports);
}

test("compresses long JSON for a client that accepts it, with a tag of its own [S-53]", async () => {
  const plain = await answered({});
  expect(plain.headers.get("content-encoding")).toBeNull();
  expect(plain.headers.get("vary")).toBe("accept-encoding");
  const tag = plain.headers.get("etag")?.slice(1, -1);
  const body = Buffer.from(await plain.arrayBuffer());
  for (const [accepted, encoding, unpack] of [
    ["gzip, deflate, br", "br", brotliDecompressSync],
    ["gzip;q=0.5", "gzip", gunzipSync],
  ] as const) {
    const packed = await answered({ "accept-encoding": accepted });
    expect(packed.headers.get("content-encoding")).toBe(encoding);
    expect(packed.headers.get("etag")).toBe(`"${tag}+${encoding}"`);
    const bytes = Buffer.from(await packed.arrayBuffer());
    expect(packed.headers.get("content-length")).toBe(String(bytes.length));
    expect(bytes.length * 5).toBeLessThan(body.length);
    expect(unpack(bytes)).toEqual(body);
    const again = await answered({ "if-none-match": `"${tag}+${encoding}"`, "accept-encoding": accepted });
    expect([again.status, again.headers.get("etag")]).toEqual([304, `"${tag}+${encoding}"`]);
  }
  for (const accepted of ["br;q=0, gzip;q=0.0", "identity", "zstd"])
    expect((await answered({ "accept-encoding": accepted })).headers.get("content-encoding")).toBeNull();
});

test("compresses no secret, no short JSON and no bytes [S-53]", async () => {
  const headers = { "accept-encoding": "br, gzip" };
  const secret = { data: rows, headers: { "cache-control": "no-store" } };
  for (const response of [
    await answered(headers, secret),
    await answered(headers, { data: { events: [], last: 0 } }),
    await answered(headers, { bytes: new Uint8Array(MB) }, routeTable.readFile),
    await answered(headers, { data: rows }, routeTable.issueToken),
  ])
    expect(response.headers.get("content-encoding")).toBeNull();
  expect((await answered(headers, secret)).headers.get("vary")).toBeNull();
});
