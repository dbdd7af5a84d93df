import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { startHttp } from "./http-server.ts";

/** The supported protocol revisions. */
export const revisions = ["2025-11-25", "2026-07-28"] as const;
export type Revision = (typeof revisions)[number];

/** The scenarios of the skills extension, which must all pass. */
export const skillScenarios = [
  "sep-2640-skills-enumeration",
  "sep-2640-skills-manifest",
  "sep-2640-skills-directory",
] as const;

export interface Outcome {
  readonly code: number;
  readonly output: string;
}

const root = resolve(import.meta.dirname, "../..");
const program = join(root, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
const expected = join(import.meta.dirname, "conformance-expected.yaml");

/** Runs one scenario of the official suite against a server. */
export function runScenario(url: string, scenario: string, revision: Revision): Promise<Outcome> {
  return conform(["--url", url, "--scenario", scenario, "--spec-version", revision, "--force"]);
}

/** Runs all scenarios of a revision; exactly the expected ones must fail. */
export function runSuite(url: string, revision: Revision): Promise<Outcome> {
  const asked = ["--url", url, "--suite", "all", "--spec-version", revision];
  return conform([...asked, "--expected-failures", expected]);
}

/** Runs in its own folder, because the suite writes results to its working directory. */
async function conform(args: readonly string[]): Promise<Outcome> {
  const cwd = mkdtempSync(join(tmpdir(), "skillhold-conformance-"));
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [program, "server", ...args], {
      cwd,
      maxBuffer: 64 * 1024 * 1024,
    });
    return { code: 0, output: `${stdout}${stderr}` };
  } catch (error) {
    if (!(error instanceof Error && "code" in error && "stdout" in error)) throw error;
    return { code: Number(error.code), output: String(error.stdout) };
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

/** `node --conditions=@skillhold/source tests/mcp/conformance.ts [url]` runs all scenarios against a local or remote server. */
async function main(address: string | undefined): Promise<number> {
  const server = address === undefined ? await startHttp(join(root, "skills")) : undefined;
  const url = address ?? server?.url ?? "";
  let failures = 0;
  const report = (name: string, { code, output }: Outcome) => {
    process.stdout.write(`${code === 0 ? "ok  " : "FAIL"} ${name}\n${code === 0 ? "" : `${output}\n`}`);
    if (code !== 0) failures += 1;
  };
  for (const revision of revisions) {
    for (const scenario of skillScenarios)
      report(`${scenario} ${revision}`, await runScenario(url, scenario, revision));
    report(`all ${revision}`, await runSuite(url, revision));
  }
  await server?.close();
  return failures === 0 ? 0 : 1;
}

if (process.argv[1] === import.meta.filename) process.exitCode = await main(process.argv[2]);
