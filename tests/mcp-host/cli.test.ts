import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { skillText as localSkill, runJson, runMain, writeFile } from "@skillhold/cli/test/fake-host";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  contentsOf,
  entryOf,
  honest,
  pageOf,
  type RunningServer,
  serveHttp,
  skillText,
} from "./skill-server.ts";

const program = join(import.meta.dirname, "plain-server.ts");
const servers: RunningServer[] = [];
let home: string;
let env: Record<string, string>;

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "skillhold-source-")));
  env = { HOME: home, PATH: process.env["PATH"] ?? "" };
  writeFile(home, ".agents/skills/own/SKILL.md", localSkill("own", "Is of this machine."));
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
  rmSync(home, { recursive: true, force: true });
});

const file = () => join(home, ".local/share/skillhold/sources.json");
const starts = () =>
  existsSync(join(home, "starts")) ? readFileSync(join(home, "starts"), "utf8").split("\n").length - 1 : 0;
const command = (manner = "old") => [process.execPath, program, manner, join(home, "starts")];
const main = (argv: readonly string[], more = {}) => runMain(argv, home, { env, ...more });
const json = (argv: readonly string[], more = {}) => runJson(argv, home, { env, ...more });
const addProgram = (manner?: string) =>
  main(["source", "add", "mcp", "acme", "--yes", "--", ...command(manner)]);

async function addServer(behaviour: Parameters<typeof serveHttp>[0], label = "acme"): Promise<RunningServer> {
  const server = await serveHttp(behaviour);
  servers.push(server);
  expect(await main(["source", "add", "mcp", label, "--url", server.url])).toMatchObject({ code: 0 });
  return server;
}

const oneSkill = () =>
  honest(
    () => ({ pdf: { "SKILL.md": skillText("pdf", "Merges PDF files."), "notes.md": "Notes." } }),
    (skills) =>
      Object.entries(skills).map(([name, files]) =>
        entryOf(name, files, { name, description: "Merges PDF files." }),
      ),
  );

describe("adding a server", () => {
  test("shows the exact command and asks before it is added [S-57] [S-60]", async () => {
    const argv = ["source", "add", "mcp", "acme", "--env", "API_KEY", "--", "npx", "-y", "a b\u202e"];
    const refused = await main(argv, { typed: "\n" });
    expect(refused).toMatchObject({ code: 4 });
    expect(refused.tty).toContain("  Program    npx\n");
    expect(refused.tty).toContain(`  Arguments  -y "a b\\u202e"\n`);
    expect(refused.tty).toContain("  Variables  PATH, HOME, LANG, API_KEY\n");
    expect(existsSync(file())).toBe(false);
    expect(await main(argv, { typed: "y\n" })).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(file(), "utf8"))).toEqual({
      version: 1,
      sources: [
        {
          kind: "mcp",
          label: "acme",
          command: "npx",
          args: ["-y", "a b\u202e"],
          env: ["API_KEY"],
          cwd: home,
        },
      ],
    });
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  test("requires a confirmation or --yes, and starts no process [S-57]", async () => {
    expect(await main(["source", "add", "mcp", "acme", "--", ...command()])).toMatchObject({ code: 4 });
    expect(existsSync(file())).toBe(false);
    expect(await addProgram()).toMatchObject({ code: 0 });
    expect(starts()).toBe(0);
  });

  test.each([
    ["no program and no address", [], "Either a program or --url is required"],
    ["both", ["--url", "https://a.example", "--", "x"], "Either a program or --url is required"],
    ["plain HTTP to elsewhere", ["--url", "http://a.example/mcp"], "is not encrypted"],
    ["credentials in the address", ["--url", "https://me:pass@a.example"], "contains credentials"],
    ["another scheme", ["--url", "file:///etc/passwd"], "neither https nor http"],
    [
      "a secret",
      ["--url", "https://a.example", "--header", "Authorization: Bearer x"],
      "looks like a secret",
    ],
    [
      "a secret under another name",
      ["--url", "https://a.example", "--header", "X-A: abcdefghijklmnopqrstuvwxyz0123"],
      "looks like a secret",
    ],
    [
      "a header of the protocol",
      ["--url", "https://a.example", "--header", "Host: b.example"],
      "is reserved by the protocol",
    ],
    [
      "a header with a line break",
      ["--url", "https://a.example", "--header", "X-A: a\r\nX-B: b"],
      "has an invalid value",
    ],
    [
      "a value in place of a variable",
      ["--url", "https://a.example", "--header-env", "X-A=a b"],
      "names no variable",
    ],
    ["a variable with a value", ["--env", "KEY=value", "--", "x"], "is not a variable name"],
    ["headers for a program", ["--header", "X-A: b", "--", "x"], "--header and --header-env need --url"],
    ["what is no skill's address", ["--skill", "file:///SKILL.md", "--", "x"], "has the scheme file"],
  ])("rejects %s [S-57]", async (_, more, message) => {
    const result = await main(["source", "add", "mcp", "acme", "--yes", ...more]);
    expect(result.err).toContain(message);
    expect(result.code).toBe(2);
    expect(existsSync(file())).toBe(false);
  });

  test("rejects a duplicate label, a missing label and unknown kinds [S-57]", async () => {
    await addProgram();
    expect(await addProgram()).toMatchObject({ code: 6 });
    expect(await main(["source", "add", "mcp", "A B", "--yes", "--", "x"])).toMatchObject({ code: 2 });
    expect(await main(["source", "add", "ftp", "acme", "--yes", "--", "x"])).toMatchObject({ code: 2 });
    expect(await main(["source", "add", "mcp", "more", "--dry-run", "--", "x"])).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(file(), "utf8")).sources).toHaveLength(1);
  });

  test("stores the variable name of a secret and not its value [S-33] [S-57]", async () => {
    const server = await serveHttp(oneSkill());
    servers.push(server);
    const argv = [
      "source",
      "add",
      "mcp",
      "acme",
      "--url",
      server.url,
      "--header-env",
      "Authorization=ACME_AUTH",
    ];
    await main(argv);
    expect(readFileSync(file(), "utf8")).toContain("ACME_AUTH");
    const missing = await main(["list"]);
    expect(missing.err).toContain(
      "warning: mcp:acme was skipped: The variable ACME_AUTH of the source is not set.",
    );
    const listed = await json(["list"], { env: { ...env, ACME_AUTH: "Bearer hidden" } });
    expect(listed.data.skills.map(({ id }: { id: string }) => id)).toEqual(["own", "pdf"]);
    expect(server.authorizations).toEqual(new Set(["Bearer hidden"]));
    expect(readFileSync(file(), "utf8")).not.toContain("hidden");
  });
});

describe("the skills of a server", () => {
  test("are listed, found, read and explained like local skills [S-57] [S-60]", async () => {
    const server = await addServer(oneSkill());
    const { data } = await json(["list"]);
    expect(data.skills).toMatchObject([
      { id: "own", trust: "user" },
      { id: "pdf", source: "mcp:acme", trust: "third_party", path: "skill://pdf" },
    ]);
    expect((await json(["search", "merge", "pdf"])).data.hits[0]).toMatchObject({
      id: "pdf",
      source: "mcp:acme",
    });
    expect(server.reads).toEqual([]);
    expect((await main(["read", "pdf"])).out).toContain('origin="mcp:acme"');
    expect((await main(["resource", "pdf", "notes.md"])).out).toBe("Notes.");
    const explained = await main(["explain", "pdf"]);
    expect(explained.out).toContain("visible skill://pdf (mcp:acme)");
    expect(explained.out).toContain(
      "mcp:acme (mcp, trust third_party): after the sources of this machine ← has it",
    );
    expect((await main(["show", "pdf"])).out).toContain("skill://pdf");
  });

  test("are left out with --no-mcp, with explicit folders and with another source [S-57]", async () => {
    await addProgram();
    for (const argv of [
      ["list", "--no-mcp"],
      ["list", ".agents/skills"],
      ["list", "--source", "~/.agents/skills"],
      ["validate", ".agents/skills"],
    ])
      expect(await main(argv)).toMatchObject({ code: 0 });
    expect(await main(["list"], { env: { ...env, SKILLHOLD_MCP_SOURCE: "outer" } })).toMatchObject({
      code: 0,
    });
    expect(starts()).toBe(0);
    const { data } = await json(["list", "--source", "mcp:acme"]);
    expect(data.skills.map(({ id }: { id: string }) => id)).toEqual(["plain"]);
    expect(starts()).toBe(1);
    expect(await main(["list", "--source", "mcp:acne"])).toMatchObject({ code: 2 });
  });

  test("are fetched only when they are activated [S-34] [S-57]", async () => {
    const server = await addServer(oneSkill());
    expect((await json(["list", "--deps"])).data.skills[1]).not.toHaveProperty("dependencies");
    expect(await main(["deps", "check", "pdf"])).toMatchObject({ code: 2 });
    expect(await main(["deps", "check"])).toMatchObject({ code: 0 });
    await main(["doctor"]);
    expect(server.reads).toEqual([]);
  });

  test("are shadowed by a local skill with the same name, and both are reported [S-15] [S-57]", async () => {
    writeFile(home, ".agents/skills/pdf/SKILL.md", localSkill("pdf", "Ours."));
    await addServer(oneSkill());
    const { data } = await json(["list"]);
    expect(data.skills[1]).toMatchObject({ id: "pdf", description: "Ours.", trust: "user" });
    expect(data.shadowed).toMatchObject([{ id: "pdf", source: "mcp:acme", path: "skill://pdf" }]);
  });
});

describe("the state of a server", () => {
  test("is in the list of sources [S-57]", async () => {
    await addServer(oneSkill());
    await main(["source", "add", "mcp", "gone", "--yes", "--", "skillhold-no-such-program"]);
    const { data, code } = await json(["source", "list"]);
    expect(code).toBe(0);
    expect(data.sources).toMatchObject([
      { label: "~/.agents/skills", kind: "user", state: "live", skills: 1 },
      { label: "mcp:acme", kind: "mcp", trust: "third_party", state: "live", skills: 1, problem: null },
      { label: "mcp:gone", state: "down", skills: 0, problem: { code: "MCP_UNREACHABLE" } },
    ]);
    const unasked = await json(["source", "list", "--no-mcp", "--no-store"]);
    expect(unasked.data.sources.slice(1)).toMatchObject([{ state: "not asked" }, { state: "not asked" }]);
  });

  test("is a warning when the server is down [S-57]", async () => {
    await main(["source", "add", "mcp", "gone", "--yes", "--", "skillhold-no-such-program"]);
    const { code, out, err } = await main(["list"]);
    expect(code).toBe(0);
    expect(out).toContain("own");
    expect(err).toContain("warning: mcp:gone was skipped: The server cannot be reached:");
    const { data } = await json(["doctor"]);
    expect(data.checks).toContainEqual(
      expect.objectContaining({ name: "source mcp:gone", status: "warn", details: ["MCP_UNREACHABLE"] }),
    );
  });

  test("has the system's error when the URL does not answer [S-57]", async () => {
    const gone = await serveHttp(oneSkill());
    await gone.close();
    await main(["source", "add", "mcp", "gone", "--url", gone.url]);
    expect((await main(["list"])).err).toContain("The server cannot be reached: connect ECONNREFUSED");
  });

  test("is reported by doctor for rejected entries [S-19] [S-57]", async () => {
    await addServer({
      list: () => pageOf([{ ...entryOf("evil", { "SKILL.md": skillText("evil") }), resources: "dynamic" }]),
      read: (uri) => contentsOf(uri, "evil"),
    });
    const { data } = await json(["doctor"]);
    const check = data.checks.find(({ name }: { name: string }) => name === "source mcp:acme");
    expect(check).toMatchObject({ status: "warn" });
    expect(check.details[0]).toContain("skill://evil/SKILL.md: MCP_DYNAMIC");
    expect((await main(["explain"])).out).toContain(
      "approvals and records cannot be bound to their content.",
    );
    expect((await main(["list", "--invalid"])).out).toContain("MCP_DYNAMIC");
  });

  test("is tested with every file [S-57]", async () => {
    await addServer(oneSkill());
    const good = await main(["source", "test", "mcp:acme"]);
    expect([good.code, good.out]).toEqual([0, "ok      pdf (skill://pdf/SKILL.md) 2 files, 63 B\n"]);
    const files = { "SKILL.md": skillText("evil"), "notes.md": "Notes." };
    const dynamic = { ...entryOf("other", files), resources: "dynamic" };
    await addServer(
      {
        list: () => pageOf([entryOf("evil", files), dynamic]),
        read: (uri) => contentsOf(uri, uri.endsWith("notes.md") ? "Evil!!" : files["SKILL.md"]),
      },
      "evil",
    );
    const { code, data } = await json(["source", "test", "evil"]);
    expect(code).toBe(7);
    expect(data.skills).toMatchObject([{ id: "evil", problem: { code: "MCP_DIGEST_DIFFERS" } }]);
    expect(data.refused).toMatchObject([{ diagnostics: [{ code: "MCP_DYNAMIC" }] }]);
    expect(await main(["source", "test", "acne"])).toMatchObject({ code: 5 });
    await main(["source", "add", "mcp", "gone", "--yes", "--", "skillhold-no-such-program"]);
    expect(await main(["source", "test", "gone"])).toMatchObject({ code: 1 });
  });
});

describe("the list of sources", () => {
  test("removes a source with its cached files [S-57]", async () => {
    await addServer(oneSkill());
    await main(["read", "pdf"]);
    const kept = join(home, ".local/share/skillhold/mcp");
    expect(existsSync(kept)).toBe(true);
    expect(await main(["source", "remove", "acme"])).toMatchObject({ code: 0 });
    expect((await json(["list"])).data.skills.map(({ id }: { id: string }) => id)).toEqual(["own"]);
    expect(await main(["source", "remove", "acme"])).toMatchObject({ code: 5 });
  });

  test.each([
    ["is not JSON", "{", "the file is not valid JSON"],
    ["is of another version", `{"version":2,"sources":[]}`, "version"],
    ["has a field that nobody knows", `{"version":1,"sources":[],"shell":"sh"}`, "the file"],
    [
      "has a label that leads elsewhere",
      `{"version":1,"sources":[{"kind":"mcp","label":"../x","command":"x","args":[],"env":[],"cwd":"/"}]}`,
      "sources.0",
    ],
  ])("is used whole or not at all: one that %s is a failure [S-57]", async (_, text, message) => {
    await addProgram();
    writeFileSync(file(), text);
    const { code, error } = await json(["list"]);
    expect([code, error.code]).toEqual([2, "CONFIG_INVALID"]);
    expect(error.message).toContain(message);
    expect(error.hint).toContain("--no-mcp");
    expect(await main(["list", "--no-mcp"])).toMatchObject({ code: 0 });
    expect(starts()).toBe(0);
  });

  test("is rejected when other users can write it [S-57]", async () => {
    await addProgram();
    chmodSync(file(), 0o666);
    const { code, error } = await json(["list"]);
    expect([code, error.code]).toEqual([2, "CONFIG_INVALID"]);
    expect(starts()).toBe(0);
  });
});

test("Skillhold serves Skillhold without an endless chain of processes [S-57]", async () => {
  const launcher = join(import.meta.dirname, "../../packages/skillhold/bin/skillhold.js");
  await main(["source", "add", "mcp", "self", "--yes", "--", process.execPath, launcher, "mcp"]);
  const { data } = await json(["list", "--source", "mcp:self"]);
  expect(data.skills).toMatchObject([{ id: "own", source: "mcp:self", trust: "third_party" }]);
  expect(await main(["source", "test", "self"])).toMatchObject({ code: 0 });
});
