import { execFileSync } from "node:child_process";
import { generateKeyPairSync, hash, sign } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { writeArchive } from "@skillhold/core/archive";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { skillText } from "./git-server.fixture.ts";
import { installScene } from "./scene.fixture.ts";
import { openWebServer, type WebServer } from "./web-server.fixture.ts";

const { project, text, json, read, write, has } = installScene({ beforeEach, afterEach });

let web: WebServer;
beforeEach(async () => {
  web = await openWebServer();
});
afterEach(async () => {
  await web.close();
});

const file = (path: string, content: string) => ({ path, content: Buffer.from(content), executable: false });
const sha256 = (content: string | Uint8Array) => hash("sha256", content, "hex");
const INTO = ["--target", "project", "--yes"] as const;

describe("a discovery index", () => {
  const SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
  async function serveIndex(digestOf: (bytes: Uint8Array) => string = sha256) {
    const archive = await writeArchive("tar.gz", [
      file("SKILL.md", skillText("pdf")),
      file("references/a.md", "A\n"),
    ]);
    const skillMd = Buffer.from(skillText("docx"));
    web.answer("/.well-known/agent-skills/pdf.tar.gz", { body: archive });
    web.answer("/.well-known/agent-skills/docx/SKILL.md", { body: skillMd });
    const about = { description: "Does it." };
    const entries = [
      { name: "pdf", type: "archive", url: "pdf.tar.gz", digest: `sha256:${digestOf(archive)}`, ...about },
      { name: "docx", type: "skill-md", url: "docx/SKILL.md", digest: `sha256:${sha256(skillMd)}`, ...about },
      { name: "movie", type: "video", url: "x", digest: `sha256:${sha256("")}`, ...about },
    ];
    web.answer("/.well-known/agent-skills/index.json", { body: { $schema: SCHEMA, skills: entries } });
  }

  test("of version 0.2 is installed with its digests checked, and the lock names it well-known [S-47]", async () => {
    await serveIndex();
    const { code, data } = await json(["install", web.url, ...INTO]);
    expect({ code, ids: data.skills.map(({ id }: { id: string }) => id) }).toEqual({
      code: 0,
      ids: ["pdf", "docx"],
    });
    expect(data.previews[0].origin).toMatchObject({ verified: "digest", source: "index" });
    expect(read(".agents/skills/pdf/references/a.md")).toBe("A\n");
    const lock = JSON.parse(read("skills-lock.json"));
    expect(lock.skills.pdf).toMatchObject({
      sourceType: "well-known",
      wellKnownDigest: expect.stringMatching(/^sha256:/),
    });
  });

  test("with a wrong digest fails that skill with exit code 7, and installs the others [S-47]", async () => {
    await serveIndex(() => sha256("other"));
    const { code, data } = await json(["install", web.url, ...INTO]);
    expect({ code, skills: data.skills }).toMatchObject({
      code: 7,
      skills: [
        { id: "pdf", status: "failed", error: { code: "INTEGRITY_FAILED" } },
        { id: "docx", status: "installed" },
      ],
    });
    expect([has(".agents/skills/pdf"), has(".agents/skills/docx")]).toEqual([false, true]);
  });

  test("of version 0.1 is installed file by file, as unverified [S-47]", async () => {
    web.answer("/.well-known/skills/index.json", {
      body: { skills: [{ name: "old", description: "Old.", files: ["SKILL.md", "scripts/run.py"] }] },
    });
    web.answer("/.well-known/skills/old/SKILL.md", { body: skillText("old") });
    web.answer("/.well-known/skills/old/scripts/run.py", { body: "print(1)\n" });
    const { code, data } = await json(["install", web.url, ...INTO]);
    expect({ code, verified: data.previews[0].origin.verified }).toEqual({ code: 0, verified: "none" });
    expect(read(".agents/skills/old/scripts/run.py")).toBe("print(1)\n");
  });

  test("that names a path outside its skill is rejected [S-47]", async () => {
    web.answer("/.well-known/skills/index.json", {
      body: { skills: [{ name: "old", files: ["SKILL.md", "../../evil"] }] },
    });
    web.answer("/.well-known/skills/old/SKILL.md", { body: skillText("old") });
    web.answer("/.well-known/evil", { body: "evil" });
    const { code, data } = await json(["install", web.url, ...INTO]);
    expect([code, data.skills[0].error.code]).toEqual([7, "RESOURCE_OUTSIDE_SKILL"]);
    expect([has("evil"), web.asked.includes("/.well-known/evil")]).toEqual([false, false]);
  });
});

describe("a direct download", () => {
  test("is a SKILL.md or an archive, by its bytes [S-47]", async () => {
    web.answer("/raw/SKILL.md", { body: skillText("text") });
    web.answer("/x/skills.zip", {
      body: await writeArchive("zip", [file("a/SKILL.md", skillText("zipped"))]),
    });
    expect(
      (await text(["install", `${web.url}/raw/SKILL.md`, `${web.url}/x/skills.zip`, ...INTO])).code,
    ).toBe(0);
    expect([has(".agents/skills/text/SKILL.md"), has(".agents/skills/zipped/SKILL.md")]).toEqual([
      true,
      true,
    ]);
  });

  test("of a page that is missing or not a skill is an error [S-47]", async () => {
    web.answer("/page.zip", { body: "<html>" });
    expect((await json(["install", `${web.url}/page.zip`, ...INTO])).error.code).toBe("ARCHIVE_INVALID");
    expect((await json(["install", `${web.url}/none.zip`, ...INTO])).error.code).toBe("PATH_NOT_FOUND");
  });
});

describe("ClawHub", () => {
  async function serve(options: { readonly moderation?: object; readonly flip?: boolean } = {}) {
    const files = [file("SKILL.md", skillText("weather")), file("scripts/a.py", "print(1)\n")];
    const announced = files.map(({ path, content }) => ({
      path,
      size: content.length,
      sha256: sha256(content),
    }));
    const sent =
      options.flip === true ? [files[0] ?? file("", ""), file("scripts/a.py", "print(2)\n")] : files;
    web.answer("/api/v1/skills/weather", {
      body: {
        skill: { slug: "weather" },
        latestVersion: { version: "1.2.0" },
        owner: { handle: "bob" },
        moderation: options.moderation ?? { verdict: "clean", engineVersion: "e1" },
      },
    });
    web.answer("/api/v1/skills/weather/versions/1.2.0", {
      body: {
        version: { version: "1.2.0", createdAt: Date.parse("2026-01-02T03:04:05Z"), files: announced },
      },
    });
    web.answer("/api/v1/download", {
      body: await writeArchive("zip", [...sent, file("_meta.json", "{}")]),
      headers: { "content-type": "application/zip" },
    });
  }
  const registry = () => ["--registry", web.url] as const;

  test("installs a version whose every file has the announced digest [S-47]", async () => {
    await serve();
    const { code, data } = await json(["install", "clawhub:@bob/weather", ...INTO, ...registry()]);
    expect({ code, origin: data.previews[0].origin }).toMatchObject({
      code: 0,
      origin: {
        source: "clawhub",
        release: "1.2.0",
        verified: "digest",
        digests: { verdict: "clean", engine: "e1" },
      },
    });
    expect(data.previews[0].firstSeen).toBe("2026-01-02T03:04:05.000Z");
    expect([has(".agents/skills/weather/scripts/a.py"), has(".agents/skills/weather/_meta.json")]).toEqual([
      true,
      false,
    ]);
  });

  test("refuses a flipped byte with exit code 7 [S-47]", async () => {
    await serve({ flip: true });
    const { code, error } = await json(["install", "@bob/weather", ...INTO, ...registry()]);
    expect({ code, error: error.code }).toEqual({ code: 7, error: "INTEGRITY_FAILED" });
    expect(has(".agents")).toBe(false);
  });

  test("rejects malware under any option, and asks about suspicion [S-47]", async () => {
    await serve({ moderation: { isMalwareBlocked: true, verdict: "malicious", summary: "Steals keys" } });
    const all = ["install", "@bob/weather", ...INTO, ...registry()];
    expect((await json([...all, "--accept-changes"])).error).toMatchObject({ code: "POLICY_DENIED" });
    await serve({ moderation: { isSuspicious: true, verdict: "suspicious", reasonCodes: ["NET"] } });
    expect((await json(all)).error).toMatchObject({ code: "APPROVAL_REQUIRED" });
    expect((await json([...all, "--accept-changes"])).code).toBe(0);
  });
});

describe("npm", () => {
  function packPackage(): Uint8Array {
    const folder = join(project(), "pkg");
    mkdirSync(dirname(write("pkg/skills/lint/SKILL.md", skillText("lint"))), { recursive: true });
    write(
      "pkg/package.json",
      JSON.stringify({ name: "@acme/kit", version: "1.4.0", scripts: { install: "touch ran" } }),
    );
    execFileSync("npm", ["pack", "--silent", "--pack-destination", project()], {
      cwd: folder,
      stdio: "pipe",
    });
    return readFileSync(join(project(), "acme-kit-1.4.0.tgz"));
  }

  function serve(
    tarball: Uint8Array,
    change: (dist: Record<string, unknown>) => Record<string, unknown> = (dist) => dist,
  ) {
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const integrity = `sha512-${hash("sha512", tarball, "base64")}`;
    const sig = sign("sha256", Buffer.from(`@acme/kit@1.4.0:${integrity}`), privateKey).toString("base64");
    const key = publicKey.export({ format: "der", type: "spki" }).toString("base64");
    const dist = change({ tarball: `${web.url}/kit.tgz`, integrity, signatures: [{ keyid: "k1", sig }] });
    web.answer("/-/npm/v1/keys", { body: { keys: [{ keyid: "k1", keytype: "ecdsa-sha2-nistp256", key }] } });
    web.answer("/@acme%2fkit", {
      body: {
        "dist-tags": { latest: "1.4.0" },
        versions: { "1.4.0": { version: "1.4.0", dist } },
        time: { "1.4.0": "2026-02-03T00:00:00.000Z" },
      },
    });
    web.answer("/kit.tgz", { body: tarball });
  }
  const install = () => json(["install", "npm:@acme/kit@^1", ...INTO, "--npm-registry", web.url]);

  test("installs the skills of a package that npm packed, and runs none of its scripts [S-47]", async () => {
    serve(packPackage());
    const { code, data } = await install();
    expect({ code, origin: data?.previews[0].origin }).toMatchObject({
      code: 0,
      origin: {
        source: "npm",
        release: "1.4.0",
        digests: { registryKey: "k1" },
        releasedAt: "2026-02-03T00:00:00.000Z",
      },
    });
    expect([has(".agents/skills/lint/SKILL.md"), has("ran"), has("pkg/ran")]).toEqual([true, false, false]);
  });

  test.each([
    [
      "another integrity",
      (dist: Record<string, unknown>) => ({
        ...dist,
        integrity: `sha512-${hash("sha512", "x", "base64")}`,
        signatures: [],
      }),
    ],
    ["no integrity", ({ integrity: _, ...dist }: Record<string, unknown>) => dist],
    [
      "a signature of something else",
      (dist: Record<string, unknown>) => ({ ...dist, signatures: [{ keyid: "k1", sig: "MEUCIQ==" }] }),
    ],
  ] as const)("refuses a package with %s [S-47]", async (_, change) => {
    serve(packPackage(), change);
    const { code, error } = await install();
    expect({ code, error: error.code }).toEqual({ code: 7, error: "INTEGRITY_FAILED" });
  });
});

describe("OCI", () => {
  function serve(
    layers: readonly { readonly bytes: Uint8Array; readonly mediaType: string; readonly title?: string }[],
  ) {
    const rows = layers.map(({ bytes, mediaType, title }) => {
      const digest = `sha256:${sha256(bytes)}`;
      web.answer(`/v2/team/pdf/blobs/${digest}`, { body: bytes });
      const annotations =
        title === undefined ? {} : { annotations: { "org.opencontainers.image.title": title } };
      return { mediaType, digest, size: bytes.length, ...annotations };
    });
    const manifest = JSON.stringify({
      schemaVersion: 2,
      artifactType: "application/vnd.agentskills.skill.v1",
      layers: rows,
    });
    web.answer("/token", { body: { token: "t0" } });
    web.answer("/v2/team/pdf/manifests/v1", (request) =>
      request.headers.authorization === "Bearer t0"
        ? { body: manifest }
        : {
            status: 401,
            headers: { "www-authenticate": `Bearer realm="${web.url}/token",service="s",scope="pull"` },
          },
    );
  }
  const install = () => json(["install", `oci://${web.host}/team/pdf:v1`, ...INTO]);

  test("reads one tar layer, and one layer a file [S-47]", async () => {
    const tar = await writeArchive("tar.gz", [file("SKILL.md", skillText("pdf"))]);
    serve([{ bytes: tar, mediaType: "application/vnd.agentskills.skill.content.v1.tar+gzip" }]);
    const { code, data } = await install();
    expect({ code, origin: data?.previews[0].origin }).toMatchObject({
      code: 0,
      origin: { source: "oci", verified: "digest" },
    });
    await text(["remove", "pdf", "--target", "project"]);
    serve([
      { bytes: Buffer.from(skillText("pdf")), mediaType: "text/markdown", title: "SKILL.md" },
      { bytes: Buffer.from("A\n"), mediaType: "text/markdown", title: "references/a.md" },
    ]);
    expect((await install()).code).toBe(0);
    expect(read(".agents/skills/pdf/references/a.md")).toBe("A\n");
  });

  test("refuses a layer that is not what the manifest says [S-47]", async () => {
    const bytes = await writeArchive("tar.gz", [file("SKILL.md", skillText("pdf"))]);
    serve([{ bytes, mediaType: "application/x-tar+gzip" }]);
    web.answer(`/v2/team/pdf/blobs/sha256:${sha256(bytes)}`, { body: Buffer.from("other") });
    expect(await install()).toMatchObject({ code: 7, error: { code: "INTEGRITY_FAILED" } });
  });
});

describe("a plugin marketplace", () => {
  test("gives the skills of plugins, never their commands, and runs no command source [S-47]", async () => {
    write(
      "market/.claude-plugin/marketplace.json",
      JSON.stringify({
        name: "acme",
        owner: { name: "Acme" },
        plugins: [
          { name: "docs", source: "./plugins/docs", commands: "./commands", hooks: {} },
          { name: "evil", source: { source: "command", command: "touch ran" } },
        ],
      }),
    );
    write("market/plugins/docs/skills/a/SKILL.md", skillText("a"));
    write("market/plugins/docs/commands/b.md", "Do.\n");
    write("market/plugins/other/skills/c/SKILL.md", skillText("c"));
    const { code, data } = await json(["install", "marketplace:./market#docs", ...INTO]);
    expect({ code, ids: data.skills.map(({ id }: { id: string }) => id), notes: data.notes }).toEqual({
      code: 0,
      ids: ["a"],
      notes: ["docs: commands, hooks are not installed."],
    });
    const refused = await json(["install", "marketplace:./market#evil", ...INTO]);
    expect([refused.code, has("ran")]).toEqual([5, false]);
    expect((await json(["install", "marketplace:./market#none", ...INTO])).error.hint).toContain(
      "docs, evil",
    );
  });
});

describe("a search in a catalog", () => {
  test("of ClawHub prints what `install` takes [S-47]", async () => {
    const results = [
      {
        slug: "weather",
        ownerHandle: "bob",
        displayName: "Weather\u202e",
        summary: "Forecasts.",
        version: "1.2.0",
        score: 9,
        trust: { verdict: "clean" },
      },
      { slug: "pdf", source: "skills-sh", install: { reference: "acme/skills/pdf" } },
      { slug: "../evil" },
    ];
    web.answer("/api/v1/search", { body: { results } });
    const argv = ["search", "--catalog", "clawhub", "--registry", web.url, "weather", "today"];
    const { code, data } = await json(argv);
    expect({ code, hits: data.hits }).toMatchObject({
      code: 0,
      hits: [
        { rank: 1, source: "clawhub:@bob/weather", version: "1.2.0", verdict: "clean" },
        { rank: 2, source: "skills-sh:acme/skills/pdf" },
      ],
    });
    expect(data.hits.length).toBe(2);
    expect(web.asked).toEqual(["/api/v1/search?q=weather+today&limit=10"]);
    const { out } = await text(argv);
    expect(out).toContain("skillhold install clawhub:@bob/weather");
    expect(out).not.toContain("\u202e");
  });

  test("of a website ranks the entries of its index [S-47]", async () => {
    const skills = [
      { name: "mail", description: "Sends letters." },
      { name: "pdf", description: "Merges PDF files." },
    ];
    web.answer("/.well-known/agent-skills/index.json", { body: { $schema: "x", skills } });
    const { data } = await json(["search", "--catalog", web.url, "merge", "pdf"]);
    expect(data.hits).toMatchObject([{ name: "pdf", source: `${web.url} --skill pdf` }]);
    expect((await json(["search", "--catalog", `${web.url}/none`, "x"])).error.code).toBe("PATH_NOT_FOUND");
    expect((await json(["search", "--catalog", "nowhere", "x"])).error.code).toBe("USAGE");
  });
});
