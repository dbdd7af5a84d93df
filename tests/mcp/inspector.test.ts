import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startHttp } from "./http-server.ts";
import { makeScene } from "./stdio-server.ts";

const inspector = resolve(
  import.meta.dirname,
  "../../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js",
);
const bundled = resolve(import.meta.dirname, "../../skills");
const scene = makeScene();
let http: Awaited<ReturnType<typeof startHttp>>;

beforeAll(async () => {
  http = await startHttp(bundled);
});
afterAll(async () => {
  await http.close();
  scene.remove();
});

/** Rejects with the exit code when the Inspector reports an error. */
async function inspect(target: readonly string[], options: readonly string[]): Promise<string> {
  const env = { ...process.env, HOME: scene.command.env.HOME };
  const args = [inspector, "--cli", ...options, "--", ...target];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env, maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

const { command, args } = scene.command;
const targets = {
  "on stdio": () => [command, ...args.slice(0, -1), bundled],
  "over HTTP": () => [http.url],
};
const cases = Object.entries(targets).flatMap(([name, target]) =>
  (["legacy", "modern"] as const).map((era) => [name, era, target] as const),
);

describe.each(cases)("the official Inspector %s, %s revision", (_name, era, target) => {
  test("verifies every bundled skill, with digests [S-57]", async () => {
    const options = ["--protocol-era", era, "--method", "skills/list", "--verify", "--require-digests"];
    const reports = (await inspect(target(), options)).trim().split("\n");
    expect(reports.map((line) => JSON.parse(line))).toEqual(
      ["docx", "memory-curation", "pdf", "pptx", "skill-authoring", "skill-creator", "xlsx"].map((name) =>
        expect.objectContaining({ name, ok: true, outcome: "verified", conformance: [] }),
      ),
    );
  });

  test("accepts the schemas of the tools [S-24] [S-57]", async () => {
    const listed = await inspect(target(), ["--protocol-era", era, "--method", "tools/list", "--strict"]);
    expect(JSON.parse(listed).tools.length).toBeGreaterThan(4);
  });
});
