import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runMain, writeFile } from "../../fake-host.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skillhold-install-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const install = (...args: readonly string[]) =>
  runMain(["mcp", "install", ...args], root, { env: { HOME: join(root, "home") } });
const read = (path: string) => readFileSync(join(root, path), "utf8");

describe("settings in TOML", () => {
  const file = "home/.codex/config.toml";
  const before =
    '# mine\nmodel = "x" # this one\n\n[mcp_servers.other] # theirs\ncommand = "o"\nargs = [\n  "[not.a.header]",\n]\n';

  test("keep their comments and are restored byte for byte [S-57]", async () => {
    writeFile(root, file, before);
    await install("--client", "codex");
    expect(read(file).startsWith(before)).toBe(true);
    expect(read(file)).toContain("\n[mcp_servers.skillhold]\ncommand = ");
    await install("--client", "codex", "--gateway", "http://127.0.0.1:1", "--token-env", "T");
    expect(read(file).slice(before.length)).toBe(
      '\n[mcp_servers.skillhold]\nurl = "http://127.0.0.1:1/mcp"\nbearer_token_env_var = "T"\nrequired = true\n',
    );
    await install("--client", "codex", "--undo");
    expect(read(file)).toBe(before);
  });

  test("that were edited later lose only our table [S-57]", async () => {
    writeFile(root, file, before);
    await install("--client", "codex");
    writeFileSync(join(root, file), `${read(file)}\n[later]\nx = 1 # kept\n`);
    await install("--client", "codex", "--undo");
    expect(read(file)).toBe(`${before}\n[later]\nx = 1 # kept\n`);
  });

  test("keep fields that the client added to our entry until --undo [S-57]", async () => {
    writeFile(root, file, before);
    await install("--client", "codex");
    const theirs = '\n[mcp_servers.skillhold.tools.read_skill]\napproval_mode = "approve"\n';
    writeFileSync(join(root, file), `${read(file)}\n[later]\nx = 1 # kept\n${theirs}`);
    await install("--client", "codex", "--gateway", "http://127.0.0.1:1");
    expect(read(file)).toContain(theirs);
    expect(read(file)).toContain('url = "http://127.0.0.1:1/mcp"');
    expect(read(file)).not.toContain('command = "/');
    await install("--client", "codex", "--undo");
    expect(read(file)).toBe(`${before}\n[later]\nx = 1 # kept\n`);
  });

  test.each([
    ["is no TOML", "= ="],
    ["has all servers in one line", 'mcp_servers = { other = { command = "o" } }\n'],
    ["has our entry in one line", 'mcp_servers.skillhold = { command = "o" }\n'],
  ])("are not changed when the file %s [S-57]", async (_name, text) => {
    writeFile(root, file, text);
    const { code, err } = await install("--client", "codex");
    expect([code, read(file)]).toEqual([2, text]);
    expect(err).toContain("[mcp_servers.skillhold]\ncommand");
  });
});
