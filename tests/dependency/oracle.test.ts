import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { readPythonImports } from "@skillhold/deps/test/scan/python-import";
import { readScriptImports } from "@skillhold/deps/test/scan/script-import";
import { expect, test } from "vitest";
import { sample } from "./sample.ts";
import { Score } from "./score.ts";
import { scriptTruth } from "./script-oracle.ts";

const root = resolve(import.meta.dirname, "../..");
const FILES = 300;

test("finds the same imports in real Python as Python's own parser [S-34]", async (context) => {
  const folders = pythonFolders();
  if (folders === undefined) return context.skip("there is no Python here to ask");
  const files = sample(folders, "**/*.py", FILES);
  const truths = askPython(["-I", join(import.meta.dirname, "python-oracle.py")], JSON.stringify(files));
  const score = new Score();
  for (const [file, truth] of Object.entries<readonly string[]>(JSON.parse(truths))) {
    const imports = (await readPythonImports(readFileSync(file, "utf8"))) ?? [];
    const isStatement = ({ optional, names, line }: (typeof imports)[number]) =>
      !optional || names.length > 0 || !isCall(file, line);
    const found = imports.filter(isStatement).map(({ module, line }) => `${module.split(".")[0]}:${line}`);
    score.add(file, withoutFuture(found), withoutFuture(truth));
  }
  expect(score.right, String(score)).toBeGreaterThan(FILES);
  expect(score.precision, String(score)).toBeGreaterThanOrEqual(0.99);
  expect(score.recall, String(score)).toBeGreaterThanOrEqual(0.99);
});

test.each([
  ["javascript", "js", "**/*.{js,mjs,cjs}"],
  ["typescript", "dts", "**/*.{d.ts,d.mts,d.cts}"],
] as const)("finds the same imports in real %s as another parser [S-34]", async (language, lang, pattern) => {
  const files = sample([join(root, "node_modules")], pattern, FILES / 2);
  const score = new Score();
  for (const file of files) {
    const text = readFileSync(file, "utf8");
    const truth = scriptTruth(text, lang);
    if (truth === undefined) continue;
    const imports = (await readScriptImports(language, text)) ?? [];
    score.add(file, new Set(imports.map(({ specifier, line }) => `${specifier}:${line}`)), truth);
  }
  expect(score.right, String(score)).toBeGreaterThan(FILES / 4);
  expect(score.precision, String(score)).toBeGreaterThanOrEqual(0.99);
  expect(score.recall, String(score)).toBeGreaterThanOrEqual(0.99);
});

/** The standard library and installed packages; undefined without Python. */
function pythonFolders(): readonly string[] | undefined {
  const question =
    "import json,os,sys,sysconfig;p=sysconfig.get_paths();print(json.dumps([p['stdlib'],*[d for d in sys.path if d.endswith('-packages')]]))";
  try {
    const folders: readonly string[] = JSON.parse(askPython(["-c", question]));
    return [...new Set(folders)];
  } catch {
    // No working python3 is on PATH.
    return undefined;
  }
}

function askPython(args: readonly string[], input = ""): string {
  return execFileSync("python3", args, {
    input,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    stdio: ["pipe", "pipe", "ignore"],
  });
}

/** Import calls, which only our scanner finds; the other parser reports only statements. */
function isCall(file: string, line: number): boolean {
  return /import_module|__import__/.test(readFileSync(file, "utf8").split("\n")[line - 1] ?? "");
}

/** Removes `__future__`, which cannot be missing. */
function withoutFuture(imports: readonly string[]): ReadonlySet<string> {
  return new Set(imports.filter((each) => !each.startsWith("__future__:")));
}
