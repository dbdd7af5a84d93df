import { connect } from "node:net";
import { Problem } from "@skillhold/protocol/http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openTestPort, sendRaw, type TestPort } from "./port.fixture.ts";

let port: TestPort;
let host: string;
let authorization: string;
beforeAll(async () => {
  port = await openTestPort();
  host = `127.0.0.1:${port.port}`;
  ({ authorization } = await port.gateway.asRole("admin", "root"));
});
afterAll(() => port.close());

/** The statuses of all responses on the connection. */
async function statusesOf(bytes: string): Promise<readonly number[]> {
  const answer = await sendRaw(port.port, Buffer.from(bytes, "latin1"));
  return [...answer.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => Number(status));
}

const lines = (...each: readonly string[]) => `${each.join("\r\n")}\r\n\r\n`;
const honest = () => [`Host: ${host}`, `Authorization: ${authorization}`, "Connection: close"];

test("answers a valid request [S-53]", async () => {
  expect(await statusesOf(lines("GET /v1/me HTTP/1.1", ...honest()))).toEqual([200]);
  for (const name of ["localhost", "LOCALHOST", "[::1]"]) {
    const named = honest().with(0, `Host: ${name}:${port.port}`);
    expect([name, await statusesOf(lines("GET /v1/me HTTP/1.1", ...named))]).toEqual([name, [200]]);
  }
});

describe("another host", () => {
  test.each([
    ["a name that a stranger binds", () => `rebind.evil.test:${port.port}`],
    ["the port left out", () => "127.0.0.1"],
    ["another port", () => "127.0.0.1:1"],
    ["the address written otherwise", () => `127.1:${port.port}`],
    ["the address as a number", () => `2130706433:${port.port}`],
    ["the address in hexadecimal", () => `0x7f000001:${port.port}`],
    ["a dot at the end", () => `localhost.:${port.port}`],
    ["a name below ours", () => `localhost.evil.test:${port.port}`],
    ["a name before ours", () => `evil.test@127.0.0.1:${port.port}`],
    ["a list", () => `${host}, evil.test`],
    ["a path in it", () => `${host}/evil`],
    ["any address", () => `0.0.0.0:${port.port}`],
    ["nothing", () => ""],
  ])("is refused: %s [S-53]", async (_title, name) => {
    const named = honest().with(0, `Host: ${name()}`);
    const [status, ...more] = await statusesOf(lines("GET /v1/me HTTP/1.1", ...named));
    expect([400, 403]).toContain(status);
    expect(more).toEqual([]);
  });

  test.each([
    ["no Host", () => honest().slice(1)],
    ["two, ours first", () => [...honest(), "Host: evil.test"]],
    ["two, ours last", () => ["Host: evil.test", ...honest()]],
    ["ours in another header", () => honest().with(0, `Host: evil.test\r\nX-Forwarded-Host: ${host}`)],
    ["ours on a folded line", () => honest().with(0, `Host: evil.test\r\n ${host}`)],
  ])("is refused: %s [S-53]", async (_title, headers) => {
    const [status, ...more] = await statusesOf(lines("GET /v1/me HTTP/1.1", ...headers()));
    expect([400, 403]).toContain(status);
    expect(more).toEqual([]);
  });

  test.each([
    "http://evil.test/v1/me",
    "https://evil.test/v1/me",
    "//evil.test/v1/me",
    "http:/v1/me",
    "*",
    "v1/me",
    "\\\\evil.test\\v1\\me",
  ])("is not reached by the target %s [S-53]", async (target) => {
    const [status = 400, ...more] = await statusesOf(lines(`GET ${target} HTTP/1.1`, ...honest()));
    expect(status).toSatisfy((each: number) => each >= 400 && each < 500);
    expect(more).toEqual([]);
  });
});

describe("an ambiguous request", () => {
  const smuggled = () => `GET /v1/me HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${authorization}\r\n\r\n`;
  const chunked = () => `0\r\n\r\n${smuggled()}`;
  const post = "POST /v1/agents HTTP/1.1";
  const json = "Content-Type: application/json";
  test.each([
    [
      "a length and chunks",
      () => lines(post, ...honest(), json, "Content-Length: 5", "Transfer-Encoding: chunked"),
    ],
    [
      "chunks and a length",
      () => lines(post, ...honest(), json, "Transfer-Encoding: chunked", "Content-Length: 5"),
    ],
    ["two lengths", () => lines(post, ...honest(), json, "Content-Length: 5", "Content-Length: 0")],
    ["a list of lengths", () => lines(post, ...honest(), json, "Content-Length: 5, 0")],
    ["a length with a sign", () => lines(post, ...honest(), json, "Content-Length: +5")],
    ["a length below nothing", () => lines(post, ...honest(), json, "Content-Length: -1")],
    ["a length in hexadecimal", () => lines(post, ...honest(), json, "Content-Length: 0x5")],
    ["an encoding that is none", () => lines(post, ...honest(), json, "Transfer-Encoding: xchunked")],
    [
      "chunks that are not last",
      () => lines(post, ...honest(), json, "Transfer-Encoding: chunked, identity"),
    ],
    ["a blank before the colon", () => lines(post, ...honest(), json, "Transfer-Encoding : chunked")],
    ["a NUL in a header", () => lines(post, ...honest(), json, "X: a\0b")],
    ["a bare CR in a header", () => lines(post, ...honest(), json, "X: a\rContent-Length: 0")],
    ["no name of a header", () => lines(post, ...honest(), json, ": x")],
    [
      "a chunk that is no number",
      () => `${lines(post, ...honest(), json, "Transfer-Encoding: chunked")}zz\r\n`,
    ],
  ])("is refused, and nothing behind it is answered: %s [S-53]", async (_title, head) => {
    const statuses = await statusesOf(`${head()}${chunked()}`);
    expect(statuses.filter((status) => status < 400)).toEqual([]);
    expect(statuses.length).toBeLessThanOrEqual(1);
  });
});

describe("an unsupported method", () => {
  test.each([
    "TRACE",
    "TRACK",
    "OPTIONS",
    "PATCH",
    "PROPFIND",
    "LINK",
    "PURGE",
    "get",
    "DeLeTe",
    "EVIL",
    "G\0T",
    "QUERY",
  ])("%s is refused [S-53]", async (method) => {
    const answer = await sendRaw(
      port.port,
      Buffer.from(lines(`${method} /v1/me HTTP/1.1`, ...honest()), "latin1"),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 40[05] /);
    // The response repeats no sent bytes.
    expect(answer).not.toContain(authorization.slice("Bearer ".length));
  });

  test("rejects CONNECT and other protocols [S-53]", async () => {
    for (const head of [
      lines(`CONNECT ${host} HTTP/1.1`, ...honest()),
      lines("GET /v1/me HTTP/1.1 HTTP/1.1", ...honest()),
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ])
      expect([head, (await statusesOf(head)).filter((status) => status < 400)]).toEqual([head, []]);
    const upgrade = lines(
      "GET /v1/me HTTP/1.1",
      `Host: ${host}`,
      "Connection: Upgrade, close",
      "Upgrade: h2c",
    );
    expect(await statusesOf(upgrade)).toEqual([401]);
  });
});

describe("a request above a limit", () => {
  test("rejects headers of more than 16 KB [S-53]", async () => {
    const much = "a".repeat(17 * 1024);
    for (const head of [
      lines(`GET /v1/me?${much} HTTP/1.1`, ...honest()),
      lines("GET /v1/me HTTP/1.1", ...honest(), `X: ${much}`),
      lines("GET /v1/me HTTP/1.1", ...honest(), `${much}: x`),
      lines("GET /v1/me HTTP/1.1", ...honest(), ...Array.from({ length: 3000 }, (_, at) => `x${at}: y`)),
      lines("GET /v1/me HTTP/1.1", ...honest(), `Cookie: ${"skillhold=x; ".repeat(2000)}`),
    ])
      expect((await statusesOf(head)).filter((status) => status < 400)).toEqual([]);
  });

  test("limits a JSON body, with content-length and chunked [S-53]", async () => {
    const head = ["POST /v1/agents HTTP/1.1", ...honest(), "Content-Type: application/json"];
    expect(await statusesOf(lines(...head, "Content-Length: 99999999"))).toEqual([413]);
    const chunk = `10000\r\n${" ".repeat(65_536)}\r\n`;
    const endless = `${lines(...head, "Transfer-Encoding: chunked")}${chunk.repeat(64)}`;
    expect((await statusesOf(endless)).filter((status) => status !== 413)).toEqual([]);
    // Others are answered as before.
    expect(await statusesOf(lines("GET /v1/me HTTP/1.1", ...honest()))).toEqual([200]);
  });

  test("times out headers that never end [S-53]", async () => {
    const socket = connect(port.port, "127.0.0.1");
    const closed = new Promise<string>((resolve) => {
      let answer = "";
      socket.setEncoding("latin1");
      socket.on("data", (part: string) => {
        answer += part;
      });
      socket.on("error", () => resolve(answer));
      socket.on("close", () => resolve(answer));
    });
    socket.write(`GET /v1/me HTTP/1.1\r\nHost: ${host}\r\n`);
    const drip = setInterval(() => socket.write("X: y\r\n"), 1000);
    try {
      expect(await closed).toMatch(/^(HTTP\/1\.1 408 .*"code":"REQUEST_TIMED_OUT".*)?$/s);
    } finally {
      clearInterval(drip);
      socket.destroy();
    }
  });
});

describe("bytes that are not a valid request", () => {
  test.each([
    ["no words of HTTP", 400, "USAGE", () => "GARBAGE\r\n\r\n"],
    ["no Host", 400, "USAGE", () => lines("GET /v1/me HTTP/1.1", "Connection: close")],
    ["a head that is too long", 431, "HEAD_TOO_LARGE", () => lines(me, ...honest(), `X: ${long}`)],
    ["a first line that is too long", 431, "HEAD_TOO_LARGE", () => lines(`GET /${long} HTTP/1.1`)],
    ["a socket as a page", 426, "UPGRADE_REQUIRED", () => lines("GET /ws HTTP/1.1", ...honest())],
    ["a WebSocket without a key", 400, "USAGE", () => lines("GET /ws HTTP/1.1", ...opening("9"))],
    ["a WebSocket elsewhere", 404, "ROUTE_NOT_FOUND", () => lines("GET /x HTTP/1.1", ...opening("13"))],
  ])("is rejected like any other request: %s [S-53]", async (_title, status, code, bytes) => {
    const answer = await sendRaw(port.port, Buffer.from(bytes(), "latin1"));
    const [head = "", body = ""] = answer.split("\r\n\r\n");
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(head).toMatch(/^content-type: application\/problem\+json$/im);
    expect(head).toMatch(/^connection: (upgrade, )?close$/im);
    const problem = Problem.parse(JSON.parse(body));
    expect(problem).toMatchObject({ status, code });
    expect(/^x-request-id: (\S+)$/im.exec(head)?.[1]).toBe(problem.requestId);
  });

  test("ignores an unknown Expect header [S-53]", async () => {
    expect(await statusesOf(lines(me, ...honest(), "Expect: tea"))).toEqual([200]);
  });

  const me = "GET /v1/me HTTP/1.1";
  const long = "a".repeat(17 * 1024);
  const opening = (version: string) => [
    `Host: ${host}`,
    "Connection: Upgrade",
    "Upgrade: websocket",
    `Sec-WebSocket-Version: ${version}`,
  ];
});

test("serves a file only by its exact path on the wire [S-53]", async () => {
  for (const path of [
    "/v1/skills/pdf/files/../../../me",
    "/v1/skills/pdf/files/%2e%2e/%2e%2e/%2e%2e/me",
    "/v1/skills/pdf/files/..%2f..%2f..%2fregistry.db",
    "/v1/skills/pdf/files/..\\..\\registry.db",
    "/v1/./me/../../etc/passwd",
    "/v1/skills/pdf/files//etc/passwd",
    "/v1/skills/pdf/files/\xff\xfe",
    "/v1/skills/pdf/files/a;b=c",
    "/v1/skills/pdf#/../../me",
  ]) {
    const answer = await sendRaw(
      port.port,
      Buffer.from(lines(`GET ${path} HTTP/1.1`, `Host: ${host}`, "Connection: close"), "latin1"),
    );
    // No path gives access without a token.
    expect([path, answer.slice(0, 12)]).toEqual([path, expect.stringMatching(/^HTTP\/1\.1 40[0-4]$/)]);
  }
});
