import { type ChildProcess, execFile, spawn } from "node:child_process";
import { hash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findProgram } from "../system-program.ts";
import { skillText } from "./git-server.fixture.ts";
import { installScene } from "./scene.fixture.ts";

const { root, home, json, read, write } = installScene({ beforeEach, afterEach });

const program = findProgram("/usr/bin/docker-registry");
const skopeo = findProgram("/usr/bin/skopeo");
/** `secret`, as the registry stores it. */
const PASSWORD_HASH = "$2b$04$UxoIIpn7Fp4iM6OlojFeB.xdCmmt6dXEwLubfpqu1A2FSz.5.avoS";

function writeSkill(): void {
  write("pdf/SKILL.md", skillText("pdf"));
  write("pdf/scripts/run.sh", "#!/bin/sh\necho hi\n");
}

function logIn(host: string): void {
  mkdirSync(join(home(), ".docker"), { recursive: true });
  const auth = Buffer.from("ann:secret").toString("base64");
  writeFileSync(join(home(), ".docker/config.json"), JSON.stringify({ auths: { [host]: { auth } } }));
}

// Without a network on the first run, there is no registry: the package is docker-registry of Debian.
describe.skipIf(program === undefined)("the registry of Debian's docker-registry", () => {
  let registry: ChildProcess;
  let host = "";
  beforeEach(async () => {
    const folder = join(root(), "registry");
    mkdirSync(folder);
    writeFileSync(join(folder, "htpasswd"), `ann:${PASSWORD_HASH}\n`);
    const config = {
      version: 0.1,
      storage: { filesystem: { rootdirectory: join(folder, "data") } },
      http: { addr: "127.0.0.1:0" },
      auth: { htpasswd: { realm: "test", path: join(folder, "htpasswd") } },
    };
    writeFileSync(join(folder, "config.yml"), JSON.stringify(config));
    registry = spawn(program?.path ?? "", ["serve", join(folder, "config.yml")], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    if (registry.stderr === null) throw new Error("no log");
    for await (const line of createInterface({ input: registry.stderr })) {
      const address = /listening on (127\.0\.0\.1:\d+)/.exec(line)?.[1];
      if (address === undefined) continue;
      host = address;
      break;
    }
    registry.stderr.resume();
  });
  afterEach(async () => {
    const ended = new Promise((done) => registry.once("close", done));
    registry.kill("SIGKILL");
    await ended;
  });

  test.skipIf(skopeo === undefined)(
    "has a skill that skopeo reads and copies, and the copy installs by its digest [S-47]",
    async () => {
      writeSkill();
      logIn(host);
      const { data } = await json(["push", "pdf", `oci://${host}/team/pdf:1.0.0`]);
      const run = async (...args: readonly string[]) => {
        const env = { PATH: process.env["PATH"], HOME: home(), ...skopeo?.env };
        return (await promisify(execFile)(skopeo?.path ?? "", args, { env })).stdout;
      };
      const from = `docker://${host}/team/pdf:1.0.0`;
      const raw = await run("inspect", "--raw", "--tls-verify=false", from);
      expect(`sha256:${hash("sha256", raw)}`).toBe(data.digest);
      const insecure = ["--insecure-policy", "copy", "--src-tls-verify=false", "--dest-tls-verify=false"];
      await run(...insecure, from, `docker://${host}/mirror/pdf:1.0.0`);
      const copy = `oci://${host}/mirror/pdf@${data.digest}`;
      const installed = await json(["install", copy, "--target", "project", "--yes"]);
      expect(installed).toMatchObject({
        code: 0,
        data: { previews: [{ origin: { digests: { manifest: data.digest } } }] },
      });
      expect(read(".agents/skills/pdf/scripts/run.sh")).toBe("#!/bin/sh\necho hi\n");
    },
  );

  test("takes a skill, and the install of it has the same content [S-47]", async () => {
    writeSkill();
    const place = `oci://${host}/team/pdf:1.0.0`;
    expect((await json(["push", "pdf", place])).error).toMatchObject({ code: "UNAUTHENTICATED" });
    logIn(host);
    const first = await json(["push", "pdf", place]);
    expect(first).toMatchObject({ code: 0, data: { id: "pdf", digest: expect.stringMatching(/^sha256:/) } });
    const again = await json(["push", "pdf", place]);
    expect(again.data.digest).toBe(first.data.digest);
    const installed = await json(["install", place, "--target", "project", "--yes"]);
    expect(installed).toMatchObject({
      code: 0,
      data: { previews: [{ origin: { verified: "digest", digests: { manifest: first.data.digest } } }] },
    });
    expect(read(".agents/skills/pdf/scripts/run.sh")).toBe("#!/bin/sh\necho hi\n");
    expect((await json(["outdated", "--target", "project"])).data.skills).toMatchObject([
      { id: "pdf", status: "current" },
    ]);
    write("pdf/SKILL.md", skillText("pdf", "Second.\n"));
    expect((await json(["push", "pdf", place])).code).toBe(0);
    const updated = await json(["update", "pdf", "--target", "project", "--yes", "--now"]);
    expect(updated).toMatchObject({ code: 0, data: { skills: [{ status: "updated" }] } });
    expect(read(".agents/skills/pdf/SKILL.md")).toContain("Second.");
    const pinned = await json([
      "install",
      `oci://${host}/team/pdf@${first.data.digest}`,
      "--id",
      "first",
      "--target",
      "project",
      "--yes",
    ]);
    expect(pinned.code).toBe(0);
    expect(read(".agents/skills/first/SKILL.md")).not.toContain("Second.");
  });
});

describe("a registry with tokens", () => {
  const blobs = new Map<string, Uint8Array>();
  const manifests = new Map<string, Uint8Array>();
  const asked: { readonly scope: string | null; readonly authorization: string | undefined }[] = [];
  let server: Server;
  let host = "";
  beforeEach(async () => {
    for (const each of [blobs, manifests]) each.clear();
    asked.length = 0;
    server = createServer((request, response) => {
      void buffer(request).then((body) => {
        const { status, headers = {}, text = "" } = answer(request, body);
        response.writeHead(status, headers).end(text);
      });
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    // A server that listens has an address.
    host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });

  interface Answer {
    readonly status: number;
    readonly headers?: Record<string, string>;
    readonly text?: string;
  }

  /** Asks for a token per kind of access, and takes an upload in two steps. */
  function answer({ url = "", method = "", headers }: IncomingMessage, body: Uint8Array): Answer {
    const { pathname, searchParams } = new URL(url, `http://${host}`);
    if (pathname === "/token") {
      const scope = searchParams.get("scope");
      asked.push({ scope, authorization: headers.authorization });
      return { status: 200, text: JSON.stringify({ token: scope?.split(":").at(-1) }) };
    }
    const access = method === "GET" || method === "HEAD" ? "pull" : "pull,push";
    if (!headers.authorization?.includes(access))
      return {
        status: 401,
        headers: {
          "www-authenticate": `Bearer realm="http://${host}/token",service="test",scope="repository:team/pdf:${access}"`,
        },
      };
    if (method === "HEAD") return { status: blobs.has(pathname) ? 200 : 404 };
    if (method === "POST")
      return { status: 202, headers: { location: "/v2/team/pdf/blobs/uploads/1?state=x" } };
    if (pathname.includes("/uploads/")) {
      if (searchParams.get("state") !== "x") return { status: 400 };
      blobs.set(`/v2/team/pdf/blobs/${searchParams.get("digest")}`, body);
    } else manifests.set(pathname, body);
    return { status: 201 };
  }

  test("gets the login at its token service only, and the tag after the content [S-47]", async () => {
    writeSkill();
    logIn(host);
    const pushed = await json(["push", "pdf", `oci://${host}/team/pdf:v1`]);
    expect(pushed.code).toBe(0);
    expect(asked.map(({ scope }) => scope)).toEqual([
      "repository:team/pdf:pull",
      "repository:team/pdf:pull,push",
    ]);
    expect(asked.every(({ authorization }) => authorization?.startsWith("Basic ") === true)).toBe(true);
    const [[place = "", bytes = new Uint8Array()] = []] = manifests;
    expect(place).toBe("/v2/team/pdf/manifests/v1");
    const manifest = JSON.parse(Buffer.from(bytes).toString("utf8"));
    expect(manifest).toMatchObject({
      artifactType: "application/vnd.agentskills.skill.v1",
      config: { mediaType: "application/vnd.agentskills.skill.config.v1+json" },
      layers: [{ mediaType: "application/vnd.agentskills.skill.content.v1.tar+gzip" }],
      annotations: { "io.agentskills.skill.name": "pdf" },
    });
    for (const { digest } of [manifest.config, ...manifest.layers])
      expect(blobs.has(`/v2/team/pdf/blobs/${digest}`)).toBe(true);
  });

  test.each([
    [`oci://127.0.0.1:1/team/pdf@sha256:${"0".repeat(64)}`, "USAGE"],
    ["acme/pdf", "USAGE"],
    ["oci://127.0.0.1:1/team/pdf:v1", "REMOTE_FAILED"],
  ])("a push to %s fails with a code [S-47]", async (destination, code) => {
    writeSkill();
    expect((await json(["push", "pdf", destination])).error).toMatchObject({ code });
  });
});

describe("a registry with an endless layer", () => {
  const DIGEST = `sha256:${"0".repeat(64)}`;
  const MB = 1024 * 1024;
  let server: Server;
  let host = "";
  let layers: readonly object[] = [];
  let blobHeaders: Record<string, string> = {};
  let blobRequests = 0;
  let sent = 0;
  let closed = 0;
  beforeEach(async () => {
    [blobRequests, sent, closed, blobHeaders] = [0, 0, 0, {}];
    server = createServer(({ url = "" }, response) => {
      if (url.includes("/manifests/")) {
        response.end(JSON.stringify({ schemaVersion: 2, layers }));
        return;
      }
      blobRequests += 1;
      response.writeHead(200, blobHeaders);
      const chunk = Buffer.alloc(65_536);
      const fill = () => {
        while (!response.destroyed) {
          sent += chunk.length;
          if (!response.write(chunk)) return;
        }
      };
      response.on("drain", fill).on("close", () => {
        closed += 1;
      });
      fill();
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    // A server that listens has an address.
    host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });

  const layer = (size: number, title?: string) => ({
    mediaType:
      title === undefined ? "application/vnd.agentskills.skill.content.v1.tar+gzip" : "text/markdown",
    digest: DIGEST,
    size,
    ...(title === undefined ? {} : { annotations: { "org.opencontainers.image.title": title } }),
  });
  const install = () => json(["install", `oci://${host}/team/pdf:v1`, "--target", "project", "--yes"]);

  test.each([
    ["one layer of 1 GB", [layer(1024 * MB)], "LIMIT_EXCEEDED"],
    ["one file of 1 GB", [layer(1024 * MB, "SKILL.md")], "LIMIT_EXCEEDED"],
    ["a layer with a negative size", [layer(-1, "SKILL.md")], "REMOTE_FAILED"],
  ])("that announces %s is not asked for it [S-47]", async (_name, announced, code) => {
    layers = announced;
    expect((await install()).error).toMatchObject({ code });
    expect(blobRequests).toBe(0);
  });

  test.each([
    ["sends without an end", {}],
    ["then announces 1 GB", { "content-length": String(1024 * MB) }],
  ])("that names a small size and %s is cut off [S-47]", async (_name, headers) => {
    layers = [layer(1000)];
    blobHeaders = headers;
    expect((await install()).error).toMatchObject({ code: "LIMIT_EXCEEDED" });
    await expect.poll(() => closed).toBe(1);
    expect(blobRequests).toBe(1);
    // More than the limit is in the buffers of the two sockets.
    expect(sent).toBeLessThan(64 * MB);
  });
});
