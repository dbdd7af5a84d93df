import { execFile } from "node:child_process";
import { join, resolve } from "node:path";

/** The client scenarios of the skills extension and their protocol revisions. */
export const scenarios = [
  "sep-2640-client-no-prefetch",
  "sep-2640-client-verify-digest",
  "sep-2640-client-verify-size",
  "sep-2640-client-verify-frontmatter",
] as const;
export const dates = ["2025-11-25", "2026-07-28"] as const;

const root = resolve(import.meta.dirname, "../..");
const suite = join(root, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
const client = join(import.meta.dirname, "conformance-client.ts");

export interface Outcome {
  readonly exitCode: number;
  readonly output: string;
}

/** Runs one scenario of the official suite against our client or a careless one. */
export async function runScenario(
  scenario: string,
  date: string,
  kind: "ours" | "careless" = "ours",
): Promise<Outcome> {
  const command = `${process.execPath} --conditions=@skillhold/source ${client}${kind === "ours" ? "" : " careless"}`;
  const options = ["client", "--command", command, "--scenario", scenario, "--spec-version", date, "--force"];
  return await new Promise((resolve) => {
    execFile(process.execPath, [suite, ...options], { cwd: root }, (error, stdout, stderr) => {
      resolve({ exitCode: error === null ? 0 : Number(error.code), output: stdout + stderr });
    });
  });
}

/** As a program, runs all scenarios and prints each result. */
if (process.argv[1] === import.meta.filename) {
  for (const scenario of scenarios) {
    for (const date of dates) {
      const { exitCode, output } = await runScenario(scenario, date);
      process.stdout.write(`${exitCode === 0 ? "passed" : `FAILED\n${output}`} ${scenario} ${date}\n`);
      if (exitCode !== 0) process.exitCode = 1;
    }
  }
}
