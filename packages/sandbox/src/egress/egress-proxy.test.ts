import { createServer as createHttp, type IncomingMessage } from "node:http";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import type { Network } from "@skillhold/core/run";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { EgressProxy } from "./egress-proxy.ts";
import { egressRules } from "./host-rule.ts";
import { type FindParent, parentProxies } from "./parent-proxy.ts";

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

function open(
  network: Exclude<Network, "none">,
  addresses: Addresses = {},
  findParent: FindParent = () => undefined,
): string[] {
  const asked: string[] = [];
  proxy = new EgressProxy(egressRules(network), {
    resolve: async (host) => {
      asked.push(host);
      return addresses[host] ?? [];
    },
    findParent,
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

/** The proxy of a company, which resolves names that this machine does not know to the site of the test. */
async function openParent(password = "") {
  const asked: { target: string | undefined; credentials: string | undefined }[] = [];
  const note = ({ url, headers }: IncomingMessage) => {
    const credentials = headers["proxy-authorization"];
    asked.push({ target: url, credentials });
    return password === "" || credentials === `Basic ${btoa(`ada:${password}`)}`;
  };
  const server = createHttp((request, response) => {
    if (note(request)) request.pipe(response);
    else response.writeHead(407).end();
  });
  server.on("connect", (request: IncomingMessage, client: Socket) => {
    if (!note(request)) return void client.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
    const target = connect(sitePort, "127.0.0.1");
    // Sent in one piece with the first bytes of the host, which must not be lost.
    target.once("data", (chunk) =>
      client.write(Buffer.concat([Buffer.from("HTTP/1.1 200 OK\r\n\r\n"), chunk])),
    );
    target.once("data", () => void target.pipe(client));
    target.write("POST /early HTTP/1.1\r\nHost: site\r\nContent-Length: 5\r\nConnection: close\r\n\r\nearly");
    target.on("error", () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens has an address.
  const { port } = server.address() as AddressInfo;
  const url = `http://${password === "" ? "" : `ada:${password}@`}127.0.0.1:${port}`;
  return { asked, env: { HTTP_PROXY: url, HTTPS_PROXY: url } };
}

test("goes through the proxy of the machine's own network, also to listed hosts without a local address [S-36]", async () => {
  const { asked, env } = await openParent("secret");
  open({ hosts: ["registry.example.org"] }, {}, parentProxies(env));
  expect(await tunnel("registry.example.org:443")).toContain("early");
  expect(await plain("http://registry.example.org/a?b")).toContain("body");
  const credentials = `Basic ${btoa("ada:secret")}`;
  expect(asked).toEqual([
    { target: "registry.example.org:443", credentials },
    { target: "http://registry.example.org/a?b", credentials },
  ]);
});

test("asks the parent proxy for no host that the rules or its address forbid [S-29]", async () => {
  const { asked, env } = await openParent();
  const addresses = { "listed.example.org": ["10.0.0.1"], "public.example.org": ["93.184.216.34"] };
  open({ hosts: ["listed.example.org", "10.0.0.2"] }, addresses, parentProxies(env));
  for (const target of ["other.example.org:443", "listed.example.org:443", "10.0.0.2:443", "127.0.0.1:443"])
    expect(await tunnel(target)).toContain("403");
  expect(asked).toEqual([]);
});

test("an open network reaches no name through a parent proxy that this machine cannot judge [S-29]", async () => {
  const { asked, env } = await openParent();
  open("open", {}, parentProxies(env));
  expect(await tunnel("intranet:443")).toContain("502");
  expect(asked).toEqual([]);
});

test("a parent proxy that refuses is an unreachable host, and credentials of the program are not passed on [S-29]", async () => {
  const { asked, env } = await openParent("secret");
  const wrong = { HTTPS_PROXY: env.HTTPS_PROXY.replace("secret", "wrong"), HTTP_PROXY: env.HTTP_PROXY };
  open({ hosts: ["a.example.org"] }, {}, parentProxies(wrong));
  expect(await tunnel("a.example.org:443")).toContain("502");
  await plain("http://a.example.org/", "Proxy-Authorization: Basic own\r\n");
  expect(asked.map(({ credentials }) => credentials)).toEqual([
    `Basic ${btoa("ada:wrong")}`,
    `Basic ${btoa("ada:secret")}`,
  ]);
});

test("reads the variables of a parent proxy as other programs do [S-36]", () => {
  const find = parentProxies({
    http_proxy: "plain.corp:3128",
    HTTPS_PROXY: "http://tls.corp:3129",
    NO_PROXY: "localhost, .intra.corp,direct.org:8443",
  });
  const at = (protocol: "http:" | "https:", host: string, port = 443) => find(protocol, { host, port })?.host;
  expect(at("http:", "example.org", 80)).toBe("plain.corp:3128");
  expect(at("https:", "example.org")).toBe("tls.corp:3129");
  for (const host of ["localhost", "intra.corp", "a.intra.corp"]) expect(at("https:", host)).toBeUndefined();
  expect(at("https:", "notintra.corp")).toBe("tls.corp:3129");
  expect([at("https:", "direct.org", 8443), at("https:", "direct.org")]).toEqual([
    undefined,
    "tls.corp:3129",
  ]);
  expect(parentProxies({ HTTPS_PROXY: "socks5://x:1" })("https:", { host: "a", port: 443 })).toBeUndefined();
  expect(parentProxies({})("https:", { host: "a", port: 443 })).toBeUndefined();
});
