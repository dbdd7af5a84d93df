import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join, resolve } from "node:path";
import { checkResult } from "./check.ts";
import { type Operation, operations } from "./operation.ts";

/**
 * Runs every operation of the built skills over a folder of documents, and prints how often each was ok, a clear error,
 * refused by the guard, unclear, wrong, a crash or a hang:
 *
 * `npm run corpus -w @skillhold/core-skills -- <absolute folder> [--skill pdf] [--max 100]`
 */
type Verdict = "ok" | "clear" | "refused" | "unclear" | "wrong" | "crash" | "hang";
const VERDICTS: readonly Verdict[] = ["ok", "clear", "refused", "unclear", "wrong", "crash", "hang"];
const TIMEOUT_MS = 60_000;
const KINDS: Readonly<Record<string, RegExp>> = {
  pdf: /\.pdf$/i,
  docx: /\.(docx|docm|dotx|dotm)$/i,
  pptx: /\.(pptx|pptm|potx|ppsx)$/i,
  xlsx: /\.(xlsx|xlsm|xltx)$/i,
};

interface Outcome {
  readonly verdict: Verdict;
  readonly note: string;
}

function main(argv: readonly string[]): void {
  const [folder = "."] = argv;
  const only = optionOf(argv, "--skill");
  const most = Number(optionOf(argv, "--max") ?? Number.POSITIVE_INFINITY);
  const work = mkdtempSync(join(tmpdir(), "skillhold-corpus-"));
  const table = new Map<string, Map<Verdict, number>>();
  try {
    for (const [skill, pattern] of Object.entries(KINDS)) {
      if (only !== undefined && only !== skill) continue;
      const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
        pattern.test(name),
      );
      for (const name of files.toSorted().slice(0, most)) {
        for (const operation of operations[skill] ?? []) {
          const { verdict, note } = runOperation(skill, operation, resolve(folder, name), work);
          const row = table.get(`${skill} ${operation.name}`) ?? new Map<Verdict, number>();
          row.set(verdict, (row.get(verdict) ?? 0) + 1);
          table.set(`${skill} ${operation.name}`, row);
          if (verdict !== "ok" && verdict !== "clear")
            process.stderr.write(`${verdict}\t${skill} ${operation.name}\t${name}\t${note}\n`);
        }
      }
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  process.stdout.write(
    `| operation | ${VERDICTS.join(" | ")} |\n|---|${VERDICTS.map(() => "--:").join("|")}|\n`,
  );
  for (const [name, row] of table) {
    process.stdout.write(`| ${name} | ${VERDICTS.map((verdict) => row.get(verdict) ?? 0).join(" | ")} |\n`);
  }
}

function runOperation(skill: string, operation: Operation, input: string, work: string): Outcome {
  const folder = join(work, "out");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const output = join(folder, `result${outputExtension(input)}`);
  const argv = operation.argv.map((word) =>
    word.replaceAll("{in}", input).replaceAll("{out}", output).replaceAll("{dir}", folder),
  );
  const script = join(import.meta.dirname, `../../../skills/${skill}/scripts/${skill}.mjs`);
  const { status, signal, stdout, stderr, error } = spawnSync(process.execPath, [script, ...argv], {
    input: "# Heading\n\nText.\n",
    encoding: "utf8",
    timeout: TIMEOUT_MS,
    maxBuffer: 1 << 28,
  });
  if (error !== undefined && "code" in error && error.code === "ETIMEDOUT")
    return { verdict: "hang", note: "" };
  if (status === null) return { verdict: "crash", note: String(signal) };
  if (status !== 0) return judgeFailure(status, stdout, stderr);
  const answer = parse(stdout);
  if (answer === undefined || stderr !== "") return { verdict: "unclear", note: stderr.slice(0, 200) };
  const problem =
    operation.check === undefined ? undefined : checkResult(operation.check, input, output, answer);
  return problem === undefined ? { verdict: "ok", note: "" } : { verdict: "wrong", note: problem };
}

/** Templates become documents, so that their results are checked as such. */
function outputExtension(input: string): string {
  const extension = extname(input).toLowerCase();
  return extension
    .replace(/^\.dot./, ".docx")
    .replace(/^\.docm/, ".docx")
    .replace(/^\.(pot|pps|pptm).*/, ".pptx");
}

function judgeFailure(status: number, stdout: string, stderr: string): Outcome {
  const failure = parse(stderr);
  const code = failure?.error?.code;
  if (code === "CONTENT_LOST") return { verdict: "refused", note: stderr.slice(0, 300) };
  if (stdout === "" && code !== undefined && code !== "FAILED") return { verdict: "clear", note: "" };
  const isTrace = /^\s+at /m.test(stderr);
  return {
    verdict: isTrace || ![1, 2, 3].includes(status) ? "crash" : "unclear",
    note: stderr.slice(0, 200),
  };
}

function parse(text: string): { readonly error?: { readonly code?: string } } | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function optionOf(argv: readonly string[], name: string): string | undefined {
  const at = argv.indexOf(name);
  return at === -1 ? undefined : argv[at + 1];
}

main(process.argv.slice(2));
