import { createServer as createHttp } from "node:http";
import { type AddressInfo, connect, createServer } from "node:net";
import { text } from "node:stream/consumers";
import type { Network } from "@skillhold/core/run";
import { afterEach, beforeEach, expect, test } from "vitest";
import { EgressProxy } from "./egress-proxy.ts";
import { egressRules } from "./host-rule.ts";

const seen: { url: string | undefined; headers: Readonly<Record<string, unknown>> }[] = [];
const site = createHttp((request, response) => {
  seen.push({ url: request.url, headers: request.headers });
  request.pipe(response);
});
let listener = createServer();
let sitePort = 0;
let proxyPort = 0;
let proxy: EgressProxy | undefined;

beforeEach(async () => {
  seen.length = 0;
  listener = createServer();
  for (const server of [site, listener])
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // Servers that listen have addresses.
  sitePort = (site.address() as AddressInfo).port;
  proxyPort = (listener.address() as AddressInfo).port;
});
afterEach(async () => {
  proxy?.close();
  site.closeAllConnections();
  for (const server of [site, listener]) await new Promise((resolve) => void server.close(resolve));
});

type Addresses = Readonly<Record<string, readonly string[]>>;

function open(network: Exclude<Network, "none">, addresses: Addresses = {}): string[] {
  const asked: string[] = [];
  proxy = new EgressProxy(egressRules(network), {
    resolve: async (host) => {
      asked.push(host);
      return addresses[host] ?? [];
    },
  });
  proxy.attach(listener);
  return asked;
}

/** Sends bytes to the proxy and returns the whole answer. */
async function ask(bytes: string): Promise<string> {
  const socket = connect(proxyPort, "127.0.0.1");
  socket.write(bytes);
  return await text(socket);
}

const tunnel = (authority: string, rest = "") =>
  ask(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n${rest}`);
const plain = (url: string, headers = "") =>
  ask(`POST ${url} HTTP/1.1\r\nHost: x\r\n${headers}Content-Length: 4\r\nConnection: close\r\n\r\nbody`);

test("forwards plain requests and tunnels to a listed host, at the address that was judged [S-29]", async () => {
  const entry = `site.test:${sitePort}`;
  const asked = open({ hosts: [entry], privateHosts: [entry] }, { "site.test": ["127.0.0.1"] });
  const answer = await plain(`http://${entry}/a?b=c`, "Proxy-Authorization: x\r\nX-Own: y\r\n");
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*body/);
  expect(seen).toMatchObject([{ url: "/a?b=c", headers: { host: entry, "x-own": "y" } }]);
  expect(Object.keys(seen[0]?.headers ?? {})).not.toContain("proxy-authorization");
  const through = await tunnel(entry, "GET /t HTTP/1.1\r\nHost: site.test\r\nConnection: close\r\n\r\n");
  expect(through).toMatch(/^HTTP\/1\.1 200 Connection Established\r\n\r\nHTTP\/1\.1 200 OK/);
  expect(asked).toEqual(["site.test"]);
  expect(proxy?.refusedHosts()).toEqual([]);
});

test.for([
  ["a host that is not listed", { hosts: ["site.test"] }, "other.test:443"],
  ["a host whose name ends alike", { hosts: ["site.test"] }, "evil-site.test:443"],
  ["the parent of a wildcard", { hosts: ["*.site.test"] }, "site.test:443"],
  ["another port of a host with a port", { hosts: ["site.test:443"] }, "site.test:22"],
  ["a private address behind a listed name", { hosts: ["inner.test"] }, "inner.test:443"],
  ["a name with a public and a private address", { hosts: ["mixed.test"] }, "mixed.test:443"],
  ["an open network at a private address", "open", "inner.test:443"],
  ["loopback by number", "open", "2130706433:80"],
  ["loopback in hex", "open", "0x7f.1:80"],
  ["loopback in IPv6", "open", "[::1]:80"],
  ["a mapped address", "open", "[::ffff:127.0.0.1]:80"],
  ["a metadata service", "open", "169.254.169.254:80"],
  ["a private host at another port", { hosts: [], privateHosts: ["127.0.0.1:1"] }, "127.0.0.1:2"],
] as const)("refuses %s [S-29]", async ([, network, authority]) => {
  open(network, {
    "inner.test": ["10.0.0.1"],
    "mixed.test": ["8.8.8.8", "127.0.0.1"],
    "site.test": ["8.8.8.8"],
  });
  expect(await tunnel(authority)).toMatch(/^HTTP\/1\.1 403 Forbidden/);
  expect(await plain(`http://${authority}/`)).toMatch(/^HTTP\/1\.1 403 Forbidden/);
  expect(proxy?.refusedHosts()).toHaveLength(1);
  expect(seen).toEqual([]);
});

test.for(["/relative", "https://site.test/", "ftp://site.test/", "http://a:b@site.test/", "http://"])(
  "answers the malformed target %s with 400 [S-29]",
  async (target) => {
    open("open");
    expect(await plain(target)).toMatch(/^HTTP\/1\.1 400 /);
  },
);

test.for(["site.test\0.evil.test:443", "a@site.test:443", ":443", "site.test:99999"])(
  "opens no tunnel to the malformed authority %j [S-29]",
  async (authority) => {
    open({ hosts: ["site.test"] }, { "site.test": ["8.8.8.8"] });
    expect(await tunnel(authority)).not.toMatch(/^HTTP\/1\.1 200/);
    expect(seen).toEqual([]);
  },
);

test("ends every connection when it closes [S-29]", async () => {
  const entry = `127.0.0.1:${sitePort}`;
  open({ hosts: [entry], privateHosts: [entry] });
  const socket = connect(proxyPort, "127.0.0.1");
  socket.write(`CONNECT ${entry} HTTP/1.1\r\n\r\n`);
  await new Promise((resolve) => socket.once("data", resolve));
  const closed = new Promise((resolve) => socket.once("close", resolve));
  proxy?.close();
  socket.resume();
  await closed;
  expect(socket.destroyed).toBe(true);
});
