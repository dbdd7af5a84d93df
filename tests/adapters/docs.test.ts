import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { byConversation, type ModelServer, startModelServer } from "@skillhold/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compileCache } from "../compile-cache.ts";

const root = join(import.meta.dirname, "../..");
const pages = join(root, "docs/guide/frameworks");
const examples = readdirSync(pages).flatMap((page) =>
  [...readFileSync(join(pages, page), "utf8").matchAll(/```ts\n(.*?)```/gs)].map(([, code = ""], index) => ({
    name: `${page.replace(/\.md$/, "")}-${index}`,
    code,
  })),
);
// Claude Code is large; the heavy tests run its page.
const runnable = examples.filter(({ name }) => !name.startsWith("claude-agent"));
let folder: string;
let server: ModelServer;

beforeAll(async () => {
  folder = mkdtempSync(join(import.meta.dirname, ".examples-"));
  for (const { name, code } of examples) writeFileSync(join(folder, `${name}.ts`), `${code}\nexport {};\n`);
  mkdirSync(join(folder, "skills/pdf/scripts"), { recursive: true });
  writeFileSync(
    join(folder, "skills/pdf/SKILL.md"),
    "---\nname: pdf\ndescription: Reads PDF files.\n---\nRun hello.sh.\n",
  );
  writeFileSync(join(folder, "skills/pdf/scripts/hello.sh"), 'echo "hello $1"');
  server = await startModelServer(
    byConversation({
      "Say hello": [
        { calls: [{ name: "read_skill", input: { skill_id: "pdf" } }] },
        {
          calls: [
            {
              name: "run_skill_script",
              input: { skill_id: "pdf", script: "scripts/hello.sh", args: ["you"] },
            },
          ],
        },
        { text: "The script said hello." },
      ],
    }),
  );
});

afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("every program of the framework pages", () => {
  test("compiles [S-58] [S-72]", () => {
    const options = {
      extends: "../../../tsconfig.json",
      compilerOptions: { noUnusedLocals: false },
      include: ["*.ts"],
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(options));
    const { stdout } = spawnSync("npx", ["tsc", "--noEmit", "--checkers", "1", "-p", folder], {
      cwd: root,
      encoding: "utf8",
    });
    expect(stdout).toBe("");
    expect(examples.length).toBeGreaterThan(8);
  });

  test.each(runnable)("runs: $name [S-58] [S-72]", async ({ name, code }) => {
    const before = server.requests.length;
    const home = join(folder, `home-${name}`);
    const env = {
      PATH: process.env["PATH"],
      HOME: home,
      XDG_DATA_HOME: join(home, "data"),
      XDG_CACHE_HOME: join(home, "cache"),
      ...compileCache,
      OPENAI_BASE_URL: `${server.url}/v1`,
      OPENAI_API_KEY: "none",
      OPENAI_AGENTS_DISABLE_TRACING: "1",
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_API_KEY: "none",
      MASTRA_TELEMETRY_DISABLED: "1",
    };
    const args = ["--no-warnings", "--conditions=@skillhold/source", `${name}.ts`];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, env });
    if (!code.includes("Say hello")) return;
    expect(stdout).toContain("scripts/hello.sh");
    expect(stdout).toContain("The script said hello.");
    const requests = server.requests.slice(before);
    expect(requests[0]?.system).toContain("Reads PDF files.");
    expect(JSON.stringify(requests.at(-1)?.body)).toContain("hello you");
  });
});
