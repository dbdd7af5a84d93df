import { hash } from "node:crypto";
import { Digest } from "@skillhold/protocol";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openHeldGateway } from "./blob-hold.fixture.ts";
import { asker, put } from "./skill.fixture.ts";

const digestOf = (bytes: Uint8Array | string) => Digest.parse(`sha256:${hash("sha256", bytes, "hex")}`);
const large = new Uint8Array(2 * 1024 * 1024).fill(7);

let gateway: Awaited<ReturnType<typeof openHeldGateway>>;
let owner: ReturnType<typeof asker>;
beforeEach(async () => {
  gateway = await openHeldGateway();
  await put(gateway, "own", { files: { "large.bin": large, "small.txt": "x" } });
  owner = asker(gateway, await gateway.asRole("publisher", "ada"));
});
afterEach(() => gateway.close());

const read = (path: string, range?: string) =>
  owner("GET", `/v1/skills/own/files/${path}`, range === undefined ? {} : { headers: { range } });

test.each([
  ["whole", undefined, 200],
  ["in part", "bytes=5-9", 206],
] as const)(
  "reads at most four large files at a time %s, and small ones without waiting [S-53]",
  async (_, range, status) => {
    const answers = Array.from({ length: 6 }, () => read("large.bin", range));
    const small = read("small.txt", "bytes=0-0");
    // This request came last and does not wait, so all others that do not wait are being read by now.
    await gateway.hold.begun(digestOf("x"));
    await vi.waitFor(() => expect(gateway.hold.reads.get(digestOf(large))).toBe(4), 120_000);
    gateway.hold.release();
    expect((await small).status).toBe(206);
    for (const answer of await Promise.all(answers)) {
      expect(answer.status).toBe(status);
      expect((await answer.arrayBuffer()).byteLength).toBe(range === undefined ? large.length : 5);
    }
    expect(gateway.hold.reads.get(digestOf(large))).toBe(6);
  },
);
