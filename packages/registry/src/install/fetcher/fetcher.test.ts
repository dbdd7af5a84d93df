import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { isPublicAddress } from "@skillhold/core/network";
import { defaultLimits } from "@skillhold/protocol/limits";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Fetcher, type FetchPolicy } from "./fetcher.ts";

let port = 0;
let close: () => Promise<void>;
const seen: { readonly host: string | undefined; readonly authorization: string | undefined }[] = [];
beforeEach(async () => {
  seen.length = 0;
  const server = createServer((request, response) => {
    seen.push({ host: request.headers.host, authorization: request.headers.authorization });
    const [, status, location = ""] = /^\/redirect\/(\d+)\/(.*)$/.exec(request.url ?? "") ?? [];
    if (status !== undefined) response.writeHead(Number(status), { location: decodeURIComponent(location) });
    else if (request.url === "/large") response.write(Buffer.alloc(64 * 1024));
    response.end("answer");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens has an address.
  port = (server.address() as AddressInfo).port;
  close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
});
afterEach(async () => {
  await close();
});

const open: FetchPolicy = { isPrivateAllowed: () => true, isPlainAllowed: () => true };
const closed: FetchPolicy = { isPrivateAllowed: () => false, isPlainAllowed: () => true };

function fetcher(policy: FetchPolicy, resolve: (host: string) => readonly string[] = () => ["127.0.0.1"]) {
  return new Fetcher({ resolve: async (host) => resolve(host), policy, limits: defaultLimits });
}

const at = (path: string, host = "skills.test") => `http://${host}:${port}${path}`;

describe("addresses", () => {
  const special =
    "0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 169.254.169.254 172.16.0.1 192.168.1.1 198.18.0.1 224.0.0.1 255.255.255.255 :: ::1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::8.8.8.8 64:ff9b::7f00:1 fc00::1 fd12::1 fe80::1 ff02::1 2002:7f00:1:: 2001:db8::1 localhost 0x7f000001";
  test.each(special.split(" "))("%s is not public [S-47]", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
  test.each(["8.8.8.8", "1.1.1.1", "2606:4700:4700::1111"])("%s is public [S-47]", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

describe("the fetcher", () => {
  test("dials the address that it judged, and keeps it when the name server changes its answer [S-47]", async () => {
    const answers = [["127.0.0.1"], ["192.0.2.1"]];
    let asked = 0;
    const resolve = () => answers[Math.min(asked++, 1)] ?? [];
    const fetch = fetcher(open, resolve);
    for (const _ of [1, 2, 3]) expect((await fetch.fetch(at("/x"))).status).toBe(200);
    fetch.close();
    expect([asked, seen[0]?.host]).toEqual([1, `skills.test:${port}`]);
  });

  test.each([["127.0.0.1"], ["169.254.169.254"], ["8.8.8.8", "10.0.0.1"], ["::ffff:127.0.0.1"]])(
    "asks no host that is at %s [S-47]",
    async (...addresses) => {
      await expect(fetcher(closed, () => addresses).fetch(at("/x"))).rejects.toMatchObject({
        code: "POLICY_DENIED",
      });
      expect(seen).toEqual([]);
    },
  );

  test.each([
    "http://127.0.0.1/x",
    "http://[::1]/x",
    "http://0x7f.1/x",
    "http://2130706433/x",
    "http://127.1/x",
  ])("sees through %s [S-47]", async (url) => {
    await expect(fetcher(closed).fetch(url)).rejects.toMatchObject({ code: "POLICY_DENIED" });
  });

  test("judges where a redirect leads, and follows three [S-47]", async () => {
    const policy: FetchPolicy = {
      isPrivateAllowed: (host) => host === "skills.test",
      isPlainAllowed: () => true,
    };
    const to = (url: string) => at(`/redirect/302/${encodeURIComponent(url)}`);
    await expect(fetcher(policy).fetch(to(at("/x", "inside.test")))).rejects.toMatchObject({
      code: "POLICY_DENIED",
    });
    await expect(fetcher(policy).fetch(to("file:///etc/passwd"))).rejects.toMatchObject({
      code: "POLICY_DENIED",
    });
    expect((await fetcher(policy).fetch(to(to(to(at("/x")))))).status).toBe(200);
    await expect(fetcher(policy).fetch(to(to(to(to(at("/x"))))))).rejects.toMatchObject({
      code: "REMOTE_FAILED",
    });
  });

  test("sends a header of the caller's to no host that another one named [S-47]", async () => {
    const headers = { authorization: "Bearer secret" };
    await fetcher(open).fetch(at(`/redirect/307/${encodeURIComponent(at("/x", "other.test"))}`), { headers });
    expect(seen.map(({ authorization }) => authorization)).toEqual(["Bearer secret", undefined]);
  });

  test("breaks off what is too large, and refuses plain http and credentials in a URL [S-47]", async () => {
    await expect(fetcher(open).fetch(at("/large"), { maxBytes: 1024 })).rejects.toMatchObject({
      code: "LIMIT_EXCEEDED",
    });
    const strict: FetchPolicy = { isPrivateAllowed: () => true, isPlainAllowed: () => false };
    await expect(fetcher(strict).fetch(at("/x"))).rejects.toMatchObject({ code: "POLICY_DENIED" });
    await expect(fetcher(open).fetch(at("/x").replace("//", "//ann:pw@"))).rejects.toMatchObject({
      code: "POLICY_DENIED",
    });
  });
});
