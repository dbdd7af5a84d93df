import { execFile } from "node:child_process";
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { writeArchive } from "@skillhold/core/archive";
import { afterEach, beforeEach, expect, test } from "vitest";
import { skillText } from "./git-server.fixture.ts";
import { installScene } from "./scene.fixture.ts";
import { openWebServer, type WebServer } from "./web-server.fixture.ts";

const { root, home, json, read } = installScene({ beforeEach, afterEach });
const run = promisify(execFile);

let web: WebServer;
beforeEach(async () => {
  web = await openWebServer();
});
afterEach(async () => {
  await web.close();
});

/** A registry as ClawHub's own documents describe it, with one skill of one version. */
async function serve(sent: (content: string) => string = (content) => content): Promise<void> {
  const contents = {
    "SKILL.md": skillText("weather"),
    "scripts/a.py": "print(1)\n",
    "references/b.md": "B\n",
  };
  const files = Object.entries(contents).map(([path, content]) => ({
    path,
    size: content.length,
    sha256: hash("sha256", content, "hex"),
    contentType: "text/plain",
  }));
  const skill = {
    slug: "weather",
    displayName: "Weather",
    summary: "Weather.",
    tags: { latest: "1.2.0" },
    stats: {},
    createdAt: 1,
    updatedAt: 1,
  };
  const latestVersion = { version: "1.2.0", createdAt: 1_760_000_000_000, changelog: "", license: "MIT-0" };
  const owner = { handle: "bob", displayName: "Bob", image: null };
  web.answer("/.well-known/clawhub.json", { body: { apiBase: web.url } });
  web.answer("/api/v1/skills/weather", {
    body: { skill, latestVersion, metadata: null, owner, moderation: null },
  });
  web.answer("/api/v1/skills/weather/versions/1.2.0", {
    body: { skill, version: { ...latestVersion, files, security: null } },
  });
  web.answer("/api/v1/skills/weather/install", {
    body: {
      ok: true,
      slug: "weather",
      installKind: "archive",
      archive: { version: "1.2.0", downloadUrl: `${web.url}/api/v1/download?slug=weather&version=1.2.0` },
    },
  });
  const entries = Object.entries(contents).map(([path, content]) => ({
    path,
    content: Buffer.from(path === "scripts/a.py" ? sent(content) : content),
    executable: false,
  }));
  web.answer("/api/v1/download", {
    body: await writeArchive("zip", entries),
    headers: { "content-type": "application/zip" },
  });
  web.answer("/api/v1/resolve", {
    body: { slug: "weather", match: null, latestVersion: { version: "1.2.0" } },
  });
}

async function clawhub(...args: readonly string[]): Promise<void> {
  const env = {
    HOME: home(),
    PATH: process.env["PATH"],
    CLAWHUB_REGISTRY: web.url,
    CLAWHUB_SITE: web.url,
    CLAWHUB_DISABLE_TELEMETRY: "1",
    NO_COLOR: "1",
    CI: "1",
  };
  await run(resolve("node_modules/.bin/node"), [resolve("node_modules/clawhub/bin/clawdhub.js"), ...args], {
    cwd: root(),
    env,
  });
}

const PATHS = ["SKILL.md", "scripts/a.py", "references/b.md"];
const ours = () =>
  json(["install", "clawhub:@bob/weather", "--registry", web.url, "--target", "project", "--yes"]);

test("ClawHub's own command line and ours lay out the same files [S-47]", async () => {
  await serve();
  await clawhub(
    "install",
    "@bob/weather",
    "--registry",
    web.url,
    "--workdir",
    join(root(), "theirs"),
    "--no-input",
  );
  expect((await ours()).code).toBe(0);
  const find = (path: string) => {
    for (const folder of ["theirs/skills/weather", "theirs/skills/@bob/weather"])
      try {
        return readFileSync(join(root(), folder, path), "utf8");
      } catch {
        // The other place is looked at.
      }
    return undefined;
  };
  for (const path of PATHS)
    expect([path, find(path)]).toEqual([path, read(`.agents/skills/weather/${path}`)]);
});

test("a flipped byte that ClawHub's own command line takes is refused by ours [S-47]", async () => {
  await serve(() => "print(2)\n");
  await clawhub(
    "install",
    "@bob/weather",
    "--registry",
    web.url,
    "--workdir",
    join(root(), "theirs"),
    "--no-input",
  );
  expect(await ours()).toMatchObject({ code: 7, error: { code: "INTEGRITY_FAILED" } });
});
