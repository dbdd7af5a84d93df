import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";

// Repeats test files beside busy processes: `npm run flake -- 20 [files]`. Without files it repeats the changed test files.
const [count = "", ...given] = process.argv.slice(2);
const runs = Number(count);
if (!Number.isInteger(runs) || runs < 1)
  fail("Usage: npm run flake -- <runs> [test files or --project names]");
const files = given.length > 0 ? given : changedTests();
if (files.length === 0)
  fail("No test file changed since main. Name the files: npm run flake -- 20 path/to/file.test.ts");
process.stdout.write(`${runs} runs of ${files.join(" ")}\n`);

const busy = Array.from({ length: 2 * availableParallelism() }, () =>
  spawn(process.execPath, ["-e", "for (;;) if (process.ppid === 1) process.exit();"], { stdio: "ignore" }),
);
process.on("exit", () => {
  for (const child of busy) child.kill("SIGKILL");
});
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(130));

let failures = 0;
for (let run = 1; run <= runs; run += 1) {
  const started = performance.now();
  const { status, stdout, stderr } = spawnSync("npx", ["vitest", "run", "--reporter=dot", ...files], {
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
  });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(`run ${run}: ${status === 0 ? "passed" : "FAILED"} in ${seconds} s\n`);
  if (status === 0) continue;
  failures += 1;
  process.stdout.write(`${stdout}${stderr}\n`);
}
process.stdout.write(`${failures} of ${runs} runs failed\n`);
process.exit(failures === 0 ? 0 : 1);

/** Test files that differ from main, committed or not. */
function changedTests() {
  const git = (...args) => execFileSync("git", args, { encoding: "utf8" }).split("\n");
  const base = git("merge-base", "main", "HEAD")[0];
  const paths = [...git("diff", "--name-only", base), ...git("ls-files", "--others", "--exclude-standard")];
  return [...new Set(paths)].filter((path) => path.endsWith(".test.ts") && existsSync(path));
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}
