import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runJson, runMain, writeFile } from "../../fake-host.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skillhold-install-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const home = () => join(root, "home");
const install = (...args: readonly string[]) =>
  runMain(["mcp", "install", ...args], root, { env: { HOME: home() } });
const read = (path: string) => readFileSync(join(root, path), "utf8");
const readData = (path: string) => JSON.parse(read(path));

const launched = (runtime: string) => [
  expect.stringMatching(/bin\/skillhold\.js$/),
  "mcp",
  "--runtime",
  runtime,
];

describe("mcp install", () => {
  test.each([
    ["claude-code", "home/.claude.json", ["mcpServers"], { type: "stdio", alwaysLoad: true }],
    ["copilot", "home/.copilot/mcp-config.json", ["mcpServers"], { type: "local", tools: ["*"] }],
    ["qwen", "home/.qwen/settings.json", ["mcpServers"], {}],
    ["amp", "home/.config/amp/settings.json", ["amp.mcpServers"], {}],
    ["droid", "home/.factory/mcp.json", ["mcpServers"], { type: "stdio", disabled: false }],
    ["kiro", "home/.kiro/settings/mcp.json", ["mcpServers"], {}],
    ["cursor", "home/.cursor/mcp.json", ["mcpServers"], {}],
    ["gemini", "home/.gemini/settings.json", ["mcpServers"], {}],
    ["windsurf", "home/.codeium/windsurf/mcp_config.json", ["mcpServers"], {}],
    ["zed", "home/.config/zed/settings.json", ["context_servers"], {}],
  ])("configures %s in its own file and format [S-57] [S-69]", async (client, file, way, more) => {
    expect(await install("--client", client)).toMatchObject({ code: 0, out: "" });
    const entry = { command: process.execPath, args: launched(client), ...more };
    expect(readData(file)).toEqual({ [way[0] ?? ""]: { skillhold: entry } });
    expect(statSync(join(root, file)).mode & 0o777).toBe(0o600);
  });

  test.runIf(process.platform === "linux").each([
    ["vscode", "home/.config/Code/User/mcp.json", "servers"],
    ["claude-desktop", "home/.config/Claude/claude_desktop_config.json", "mcpServers"],
  ])("finds the settings folder of desktop apps: %s [S-57]", async (client, file, key) => {
    await install("--client", client);
    expect(readData(file)[key].skillhold).toMatchObject({ args: launched(client) });
  });

  test.runIf(process.platform === "linux").each([
    ["claude-code", "CLAUDE_CONFIG_DIR", ".claude.json"],
    ["codex", "CODEX_HOME", "config.toml"],
    ["copilot", "COPILOT_HOME", "mcp-config.json"],
    ["qwen", "QWEN_HOME", "settings.json"],
    ["amp", "XDG_CONFIG_HOME", "amp/settings.json"],
    ["vscode", "XDG_CONFIG_HOME", "Code/User/mcp.json"],
    ["zed", "XDG_CONFIG_HOME", "zed/settings.json"],
    ["zed", "FLATPAK_XDG_CONFIG_HOME", "zed/settings.json"],
    ["opencode", "XDG_CONFIG_HOME", "opencode/opencode.json"],
  ])("writes to the folder of %s that %s names [S-57]", async (client, variable, file) => {
    const env = { HOME: home(), [variable]: join(root, "elsewhere") };
    expect(await runMain(["mcp", "install", "--client", client], root, { env })).toMatchObject({ code: 0 });
    expect(read(`elsewhere/${file}`)).toContain("skillhold");
    expect(existsSync(home())).toBe(false);
  });

  test("uses an existing project file [S-57]", async () => {
    writeFile(root, ".opencode/opencode.jsonc", "{\n  // mine\n}\n");
    await install("--client", "opencode", "--scope", "project");
    expect(read(".opencode/opencode.jsonc")).toMatch(/\/\/ mine[\s\S]*"skillhold"/);
    expect(existsSync(join(root, "opencode.json"))).toBe(false);
  });

  test("keeps fields that users added to the entry [S-57]", async () => {
    await install("--client", "cursor");
    const file = "home/.cursor/mcp.json";
    const { mcpServers } = readData(file);
    const env = { SKILLHOLD_USER: "ada" };
    writeFile(root, file, JSON.stringify({ mcpServers: { skillhold: { ...mcpServers.skillhold, env } } }));
    await install("--client", "cursor", "--gateway", "http://127.0.0.1:1");
    expect(readData(file).mcpServers.skillhold).toEqual({
      url: "http://127.0.0.1:1/mcp",
      headers: { Authorization: "Bearer ${env:SKILLHOLD_TOKEN}" },
      env,
    });
  });

  test("supports both server formats of OpenCode [S-57]", async () => {
    await install("--client", "opencode");
    const file = "home/.config/opencode/opencode.json";
    const command = [process.execPath, ...launched("opencode")];
    expect(readData(file)).toEqual({ mcp: { servers: { skillhold: { type: "local", command } } } });
    writeFile(root, file, '{"mcp": {"other": {"type": "local", "command": ["x"]}}}');
    await install("--client", "opencode");
    expect(readData(file).mcp).toMatchObject({ other: {}, skillhold: { type: "local", command } });
    writeFile(root, file, '{ /* mine */ "mcp": [] }');
    expect((await install("--client", "opencode")).err).toContain('"servers": {');
  });

  test("writes no local path to project settings [S-57]", async () => {
    writeFile(root, "skills/x/SKILL.md", "");
    await install("--client", "claude-code", "--scope", "project", "--root", "skills", "--agent", "writer");
    expect(readData(".mcp.json").mcpServers.skillhold).toEqual({
      type: "stdio",
      command: "skillhold",
      args: ["mcp", "--runtime", "claude-code", "--root", "skills", "--agent", "writer"],
      alwaysLoad: true,
    });
    expect(await install("--client", "windsurf", "--scope", "project")).toMatchObject({
      code: 2,
      err: expect.stringContaining("no project settings"),
    });
  });

  test("forwards the skill and viewer options, but no password [S-57]", async () => {
    const options = [
      "--root",
      "a",
      "--runtime",
      "mine",
      "--allow",
      "x,y",
      "--no-store",
      "--precedence",
      "trust",
    ];
    await install("--client", "cursor", ...options);
    expect(readData("home/.cursor/mcp.json").mcpServers.skillhold.args.slice(1)).toEqual([
      "mcp",
      "--runtime",
      "mine",
      "--root",
      join(root, "a"),
      "--precedence",
      "trust",
      "--no-store",
      "--allow",
      "x,y",
    ]);
    const secret = await install("--client", "cursor", "--store", "postgres://ada:secret@db/x");
    expect(secret).toMatchObject({ code: 2, err: expect.not.stringContaining("secret@") });
  });

  test.each([
    [
      "claude-code",
      ".claude.json",
      "mcpServers",
      { type: "http", url: "$URL", alwaysLoad: true, headers: "${T}" },
    ],
    [
      "copilot",
      ".copilot/mcp-config.json",
      "mcpServers",
      { type: "http", url: "$URL", tools: ["*"], headers: "${T}" },
    ],
    ["qwen", ".qwen/settings.json", "mcpServers", { httpUrl: "$URL", headers: "${T}" }],
    ["amp", ".config/amp/settings.json", "amp.mcpServers", { url: "$URL", headers: "${T}" }],
    ["kiro", ".kiro/settings/mcp.json", "mcpServers", { url: "$URL", headers: "${T}" }],
    ["cursor", ".cursor/mcp.json", "mcpServers", { url: "$URL", headers: "${env:T}" }],
    ["gemini", ".gemini/settings.json", "mcpServers", { httpUrl: "$URL", headers: "${T}" }],
    [
      "windsurf",
      ".codeium/windsurf/mcp_config.json",
      "mcpServers",
      { serverUrl: "$URL", headers: "${env:T}" },
    ],
  ])(
    "writes the address of a gateway for %s, and the name of the token alone [S-57]",
    async (client, file, key, entry) => {
      await install("--client", client, "--gateway", "https://skills.example:8443/", "--token-env", "T");
      const { headers, ...rest } = entry;
      const text = JSON.stringify({ ...rest, headers: { Authorization: `Bearer ${headers}` } });
      expect(readData(`home/${file}`)[key].skillhold).toEqual(
        JSON.parse(text.replace("$URL", "https://skills.example:8443/mcp")),
      );
    },
  );

  test("names the token variable and writes no token to a file [S-57]", async () => {
    const { err } = await install("--client", "cursor", "--gateway", "https://skills.example");
    expect(err).toContain("note: Cursor reads the token from the variable SKILLHOLD_TOKEN");
    expect((await install("--client", "cursor")).err).not.toContain("note:");
  });

  test("says what the user still has to do [S-57] [S-69]", async () => {
    for (const [client, scope, step] of [
      ["claude-code", "project", /note: .*approve/],
      ["codex", "user", /note: .*required = false/],
      ["codex", "project", /note: .*trust/],
      ["gemini", "user", /note: .*trust/],
      ["copilot", "user", /note: .*[Tt]rust/],
      ["amp", "project", /note: .*amp mcp approve/],
    ] as const)
      expect((await install("--client", client, "--scope", scope)).err, client).toMatch(step);
    const { data } = await runJson(["mcp", "install", "--client", "gemini", "--dry-run"], root, {
      env: { HOME: home() },
    });
    expect(data).toMatchObject({ steps: [expect.stringContaining("trust")] });
  });

  test("keeps a value of the user for a default of the entry [S-57] [S-69]", async () => {
    await install("--client", "claude-code");
    const { mcpServers } = readData("home/.claude.json");
    writeFile(
      root,
      "home/.claude.json",
      JSON.stringify({ mcpServers: { skillhold: { ...mcpServers.skillhold, alwaysLoad: false } } }),
    );
    await install("--client", "claude-code", "--root", "a");
    expect(readData("home/.claude.json").mcpServers.skillhold).toMatchObject({
      alwaysLoad: false,
      args: expect.arrayContaining(["--root"]),
    });
  });

  test("forwards the options about tools and scripts, and rejects them for a gateway [S-57]", async () => {
    const options =
      "--off search_skills --mount data:/mnt/in:rw --outputs out --publish-from work --structured --no-watch";
    await install("--client", "cursor", ...options.split(" "));
    expect(readData("home/.cursor/mcp.json").mcpServers.skillhold.args.slice(4)).toEqual([
      ...["--off", "search_skills", "--mount", `${join(root, "data")}:/mnt/in:rw`],
      ...["--outputs", join(root, "out"), "--publish-from", join(root, "work"), "--structured", "--no-watch"],
    ]);
    await install("--client", "cursor", "--scope", "project", ...options.split(" "));
    expect(readData(".cursor/mcp.json").mcpServers.skillhold.args).toEqual(
      expect.arrayContaining(["data:/mnt/in:rw", "out", "work"]),
    );
    expect((await install("--client", "cursor", "--off", "read_skil")).err).toContain(
      "Did you mean read_skill",
    );
    const gateway = await install("--client", "cursor", "--gateway", "https://x", "--off", "read_skill");
    expect(gateway).toMatchObject({ code: 2, err: expect.stringContaining("--off") });
  });

  test("forwards every option about skills and viewers, and rejects them for a gateway [S-57]", async () => {
    const options = "--source user --strict --no-cache --user ada --allow pdf --as user --runtime cursor";
    await install("--client", "cursor", ...options.split(" "));
    const { args } = readData("home/.cursor/mcp.json").mcpServers.skillhold;
    for (const option of options.split(" --").map((each) => each.replace(/^(?:--)?/, "--")))
      expect(args.join(" "), option).toContain(option);
    for (const given of [["--root", "a"], ["--as", "user"], ["--runtime", "codex"], ["--no-cache"]]) {
      const { code, err } = await install("--client", "cursor", "--gateway", "https://x", ...given);
      expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(`${given[0]} has no effect`) });
    }
  });

  test("rejects an invalid URL, an invalid variable, and unsupported servers [S-57]", async () => {
    for (const gateway of ["skills.example", "ftp://x", "https://ada:secret@x"])
      expect((await install("--client", "cursor", "--gateway", gateway)).code, gateway).toBe(2);
    const options = ["--gateway", "https://x", "--token-env", "ghp_abc-def"];
    expect((await install("--client", "cursor", ...options)).err).toContain("never to the token");
    expect((await install("--client", "claude-desktop", "--gateway", "https://x")).err).toContain(
      "connector",
    );
    expect((await install("--client", "cursor", "--name", "__proto__")).code).toBe(2);
    expect(existsSync(home())).toBe(false);
  });

  test("lists the supported clients [S-60]", async () => {
    expect((await install("--client", "curser")).err).toContain("Did you mean cursor?");
    expect((await install()).err).toContain("claude-code, claude-desktop, cursor");
  });
});

describe("an existing settings file", () => {
  const file = "home/.cursor/mcp.json";
  const before = '{\n\t"mcpServers": {\n\t\t"other": {\n\t\t\t"url": "https://o"\n\t\t}\n\t},\n\t"x": 1\n}';

  test("keeps its other content, indentation and mode, and gets a backup [S-57]", async () => {
    chmodSync(writeFile(root, file, before), 0o640);
    await install("--client", "cursor");
    const after = read(file);
    expect(after).toMatch(/^\{\n\t"mcpServers": \{\n\t\t"other"/);
    expect(after.endsWith("}")).toBe(true);
    expect(JSON.parse(after)).toMatchObject({ mcpServers: { other: { url: "https://o" } }, x: 1 });
    expect(statSync(join(root, file)).mode & 0o777).toBe(0o640);
    expect(read(`${file}.skillhold-backup`)).toBe(before);
    expect(statSync(join(root, `${file}.skillhold-backup`)).mode & 0o777).toBe(0o640);
  });

  test("is restored byte for byte by --undo, also after a second install [S-57]", async () => {
    writeFile(root, file, before);
    await install("--client", "cursor");
    await install("--client", "cursor", "--runtime", "other");
    expect(read(`${file}.skillhold-backup`)).toBe(before);
    expect(await install("--client", "cursor", "--undo")).toMatchObject({ code: 0 });
    expect(read(file)).toBe(before);
    expect(existsSync(join(root, `${file}.skillhold-backup`))).toBe(false);
    expect((await install("--client", "cursor", "--undo")).code).toBe(5);
  });

  test("that was edited later loses only our entry [S-57]", async () => {
    writeFile(root, file, before);
    await install("--client", "cursor");
    const changed = { ...readData(file), later: true };
    writeFileSync(join(root, file), JSON.stringify(changed));
    await install("--client", "cursor", "--undo");
    expect(readData(file)).toEqual({ mcpServers: { other: { url: "https://o" } }, x: 1, later: true });
  });

  test.each([
    ["is no JSON", (backup: string) => writeFileSync(backup, "{")],
    ["is no text", (backup: string) => writeFileSync(backup, Buffer.from([0xff, 0xfe]))],
    ["is a folder", (backup: string) => mkdirSync(backup)],
  ])(
    "loses only our entry when the file in place of its copy %s, and keeps that file [S-57]",
    async (_name, put) => {
      writeFile(root, file, before);
      await install("--client", "cursor");
      const backup = join(root, `${file}.skillhold-backup`);
      rmSync(backup);
      put(backup);
      const { code, err } = await install("--client", "cursor", "--undo");
      expect([code, err.split("\n")[0]]).toEqual([0, expect.stringContaining("Removed the entry")]);
      expect(err).not.toContain("Backup of the previous file");
      expect(readData(file)).toEqual(JSON.parse(before));
      expect(existsSync(backup)).toBe(true);
    },
  );

  test("that cannot be edited gets the same error, whatever its backup is [S-57]", async () => {
    const text = '{"mcpServers": {"skillhold": {}}, "mcpServers": {"skillhold": {}}}';
    writeFile(root, file, text);
    writeFile(root, `${file}.skillhold-backup`, "{");
    const { code, err } = await install("--client", "cursor", "--undo");
    expect([code, read(file)]).toEqual([2, text]);
    expect(err).toMatch(/was not changed: [\s\S]*Remove the entry by hand\./);
  });

  test("that the install created is deleted by --undo [S-57]", async () => {
    await install("--client", "cursor");
    await install("--client", "cursor", "--undo");
    expect(existsSync(join(root, file))).toBe(false);
  });

  test.each([
    ["two tables of servers", '{"mcpServers": {}, "mcpServers": {}}'],
    ["a list", "[]"],
    ["what is no JSON", '{"mcpServers": {},'],
    ["servers that are no table", '{"mcpServers": []}'],
  ])("with %s is not changed, and the error shows the lines to add [S-57]", async (_name, text) => {
    writeFile(root, file, text);
    const { code, err } = await install("--client", "cursor");
    expect(code).toBe(2);
    expect(err).toMatch(/was not changed: [\s\S]*"skillhold": \{/);
    expect(read(file)).toBe(text);
  });

  test("with comments is edited, shown and restored like any other [S-57]", async () => {
    const text =
      '// mine\r\n{\r\n  "editor": {"tab": 12345678901234567890,}, // not this\r\n  "context_servers": {\r\n    // none yet\r\n  },\r\n}\r\n';
    const zed = "home/.config/zed/settings.json";
    writeFile(root, zed, text);
    expect((await install("--client", "zed", "--dry-run")).out).toMatch(/^\+ {4}"skillhold": \{$/m);
    expect(read(zed)).toBe(text);
    expect(await install("--client", "zed")).toMatchObject({ code: 0 });
    const [before = "", after = ""] = text.split(/(?<=none yet\r\n)/);
    expect(read(zed).startsWith(before) && read(zed).endsWith(after)).toBe(true);
    expect(read(`${zed}.skillhold-backup`)).toBe(text);
    expect((await install("--client", "zed")).err).toContain("already configured");
    writeFileSync(join(root, zed), `${read(zed)}// later\r\n`);
    await install("--client", "zed", "--undo");
    expect(read(zed)).toBe(`${text}// later\r\n`);
    await install("--client", "zed");
    await install("--client", "zed", "--undo");
    expect(read(zed)).toBe(`${text}// later\r\n`);
  });

  test("is only printed with --dry-run [S-57] [S-60]", async () => {
    writeFile(root, file, before);
    const { code, out } = await install("--client", "cursor", "--dry-run");
    expect(code).toBe(0);
    expect(out).toMatch(/^\+\t\t"skillhold": \{$/m);
    expect(read(file)).toBe(before);
    const env = { HOME: home() };
    const { data } = await runJson(["mcp", "install", "--client", "cursor", "--dry-run"], root, { env });
    expect(data).toMatchObject({
      client: "cursor",
      scope: "user",
      action: "written",
      isDryRun: true,
      backup: null,
    });
  });

  test("stays a link [S-57]", async () => {
    writeFile(root, "dotfiles/mcp.json", "{}\n");
    writeFile(root, "home/.cursor/x", "");
    symlinkSync(join(root, "dotfiles/mcp.json"), join(root, file));
    await install("--client", "cursor");
    expect(readData("dotfiles/mcp.json").mcpServers).toHaveProperty("skillhold");
    expect(read(file)).toBe(read("dotfiles/mcp.json"));
  });
});
