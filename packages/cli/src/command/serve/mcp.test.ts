import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runMain, skillText, writeFile } from "../../fake-host.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skillhold-mcp-"));
  writeFile(root, "skills/pdf/SKILL.md", skillText("pdf", "Reads PDF files."));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const mcp = (args: readonly string[], options: Parameters<typeof runMain>[2] = {}) =>
  runMain(["mcp", "--root", "skills", ...args], root, {
    ...options,
    env: { HOME: join(root, "home") },
  });

describe("mcp", () => {
  test("exits silently when the client closes the input [S-57]", async () => {
    expect(await mcp([])).toEqual({ code: 0, out: "", err: "" });
  });

  test("logs malformed runtimes, long instructions and skipped skills [S-7] [S-11]", async () => {
    writeFile(root, "skills/odd/SKILL.md", skillText("odd", "x", "Do it.\n", "runtime: 123\n"));
    writeFile(root, "skills/long/SKILL.md", skillText("long", "x", "many words ".repeat(20_000)));
    writeFile(root, "skills/other/SKILL.md", skillText("other", "x", "Do it.\n", "runtime: [crewai]\n"));
    const { code, err } = await mcp(["--runtime", "langgraph"]);
    expect(code).toBe(0);
    expect(err.trimEnd().split("\n")).toEqual([
      expect.stringMatching(/^warning: long: The instructions are about \d+ tokens long; 8000 is/),
      expect.stringMatching(/^warning: odd: The field `runtime` is neither a name nor a list/),
      "warning: Skipping skill other: runtime=[crewai] not compatible with current=langgraph",
    ]);
  });

  test("explains its purpose at a terminal [S-57] [S-60]", async () => {
    expect(await mcp([], { typed: "" })).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringContaining("skillhold mcp install --client"),
    });
  });

  test("rejects --off with an unknown tool [S-24] [S-60]", async () => {
    expect(await mcp(["--off", "read_skil"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("Did you mean read_skill"),
    });
  });

  test("reports a startup failure before it writes to the client [S-57]", async () => {
    expect(await mcp(["--mount", "nothing"])).toMatchObject({ code: 5, out: "" });
    expect(await mcp(["--root", "nothing"])).toMatchObject({ code: 5, out: "" });
    expect(await mcp(["--publish-from", "nothing"])).toMatchObject({ code: 5, out: "" });
    expect(await mcp(["--publish-from", "skills", "--no-store"])).toMatchObject({ code: 2, out: "" });
  });

  test("rejects --publish-from together with a gateway [S-24] [S-57]", async () => {
    const publishing = ["mcp", "--publish-from", "skills"];
    const env = { HOME: join(root, "home"), SKILLHOLD_GATEWAY: "http://127.0.0.1:1" };
    for (const [args, variables] of [
      [["--gateway", env.SKILLHOLD_GATEWAY], { HOME: env.HOME }],
      [[], env],
    ] as const)
      expect(await runMain([...publishing, ...args], root, { env: variables })).toMatchObject({
        code: 2,
        out: "",
        err: expect.stringContaining("--no-gateway"),
      });
    expect(await runMain([...publishing, "--no-gateway"], root, { env })).toMatchObject({ code: 0 });
  });
});
