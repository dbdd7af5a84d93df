import { basename } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Bundle, readBounded } from "@skillhold/core/bundle";
import type { DependencyManifest, Scan, ScanCall, ScanFile } from "@skillhold/core/dependency";
import { parseSkill } from "@skillhold/skill";
import { parse } from "smol-toml";
import {
  type BundleIndex,
  type CodeText,
  changesPath,
  notebookCode,
  scanPython,
  scanScript,
} from "./code-scan.ts";
import { applyDeclaration, type Declaration, readDeclaration, tallyDeclaration } from "./declared.ts";
import { type FileType, fileTypeOf, isScanned, readShebang, type Shebang } from "./file-type.ts";
import { LocalModules } from "./local-module.ts";
import { tallyManifest } from "./manifest-scan.ts";
import type { ParseToml } from "./pyproject.ts";
import { type ReadShellText, readShell, tallyShell } from "./shell-command.ts";
import { DependencyTally } from "./tally.ts";
import { TextLines } from "./text-line.ts";
import { WorkTime } from "./work-time.ts";

export interface DependencyScanOptions {
  /** The name of the bundle's folder, which code may import. */
  readonly name?: string;
  /** Parses pyproject.toml and inline metadata. Defaults to the built-in parser. */
  readonly parseToml?: ParseToml;
  /**
   * Files that come after this much scan time are skipped. The default is a hundred times what real bundles
   * need.
   */
  readonly timeMs?: number;
}

/** Larger files are data or build output. They are skipped with a note. */
export const MAX_SCANNED_BYTES = 1_000_000;

/**
 * Finds the dependencies in all code and manifests of a bundle. Bad files become notes, and no error is
 * thrown. No code runs and no file is opened. Time is proportional to size, up to a limit, and the scanner
 * yields between files.
 */
export async function scanDependencies(
  files: readonly ScanFile[],
  options: DependencyScanOptions = {},
): Promise<DependencyManifest> {
  const tally = new DependencyTally(options.timeMs);
  const texts = files.flatMap((file) => readText(file, tally));
  const declaration = declarationOf(texts);
  // Manifests first: they decide which of several distributions provides a module.
  if (declaration !== undefined) tallyDeclaration(declaration, tally);
  const paths = files.map(({ path }) => path);
  const { development, packages } = await tallyManifests(texts, paths, options, tally);
  const content: BundleIndex = {
    modules: new LocalModules(paths, options.name),
    paths: new Set(paths.flatMap(namesOf)),
    packages,
    hasOtherPath: texts.some(({ type, text }) => PATH_CODE.has(type) && changesPath(text)),
  };
  const shells: ReadShellText[] = [];
  for (const text of texts.filter(({ type }) => !MANIFESTS.has(type)))
    await inTime(text, tally, () => scanCode(text, content, shells, tally));
  tallyShells(shells, paths, content, tally);
  return applyDeclaration(tally.manifest(development), declaration?.declared);
}

/** The names that can import a file: its path, the path without the extension, and the folder of an index file. */
function namesOf(path: string): readonly string[] {
  const bare = path.replace(/\.[^/.]+$/, "");
  return bare.endsWith("/index") ? [path, bare, bare.slice(0, -"/index".length)] : [path, bare];
}

/** Code that can change Python's module path. */
const PATH_CODE: ReadonlySet<FileType> = new Set(["python", "notebook", "bash"]);

const MANIFESTS: ReadonlySet<FileType> = new Set(["requirements", "package", "pyproject", "skill"]);

interface ScannedText extends CodeText {
  readonly type: FileType;
  readonly shebang: Shebang | undefined;
}

function readText({ path, bytes }: ScanFile, tally: DependencyTally): readonly ScannedText[] {
  const type = fileTypeOf(path);
  if (type === undefined || bytes === undefined) return [];
  if (bytes.length > MAX_SCANNED_BYTES && type !== "skill") {
    if (type !== "extensionless") tally.note(path, `not read: larger than ${MAX_SCANNED_BYTES} bytes`);
    return [];
  }
  if (type === "extensionless" && !(bytes[0] === 0x23 && bytes[1] === 0x21)) return [];
  const text = new TextDecoder().decode(bytes);
  const shebang = readShebang(text);
  return [{ path, text, type: type === "extensionless" ? languageOf(shebang) : type, shebang }];
}

const TYPESCRIPT = new Set(["deno", "bun", "tsx", "ts-node"]);
const SHELLS = new Set(["sh", "bash", "dash", "zsh", "ksh"]);

function languageOf(shebang: Shebang | undefined): FileType {
  const runtime = shebang?.runtime ?? "";
  if (SHELLS.has(runtime)) return "bash";
  if (runtime === "python3" || runtime === "python2" || runtime === "pypy3" || runtime === "uv")
    return "python";
  if (runtime === "node" || runtime === "zx") return "javascript";
  return [runtime, ...(shebang?.words ?? [])].some((word) => TYPESCRIPT.has(word))
    ? "typescript"
    : "extensionless";
}

function declarationOf(
  texts: readonly ScannedText[],
): { declared: Declaration; path: string; lines: TextLines } | undefined {
  const file = texts.find(({ type }) => type === "skill");
  if (file === undefined) return undefined;
  const { frontmatter } = parseSkill(file.text);
  return { declared: readDeclaration(frontmatter), path: file.path, lines: new TextLines(file.text) };
}

async function tallyManifests(
  texts: readonly ScannedText[],
  paths: readonly string[],
  options: DependencyScanOptions,
  tally: DependencyTally,
): Promise<{ development: ReadonlySet<string>; packages: ReadonlySet<string> }> {
  const found = { development: new Set<string>(), packages: new Set<string>() };
  const around = { paths: new Set(paths), parseToml: options.parseToml ?? parse, ...found };
  for (const file of texts) await inTime(file, tally, () => tallyManifest(file, file.type, around, tally));
  return found;
}

/** Scans a file if the bundle has time left, and yields to other work. */
async function inTime(
  { path }: ScannedText,
  tally: DependencyTally,
  read: () => void | Promise<void>,
): Promise<void> {
  if (tally.isExhausted) return tally.note(path, "not read: other files took too long to parse");
  const work = new WorkTime();
  await read();
  if (tally.spend(work.ms)) await nextTurn();
}

async function scanCode(
  file: ScannedText,
  content: BundleIndex,
  shells: ReadShellText[],
  tally: DependencyTally,
): Promise<void> {
  const { path, text, type, shebang } = file;
  switch (type) {
    case "python":
      await scanPython(file, content, tally);
      return addRuntime(file, shebang?.runtime ?? "python3", tally);
    case "javascript":
    case "typescript":
    case "tsx": {
      const runtime = await scanScript(type, file, content, tally);
      return addRuntime(file, shebang?.runtime ?? runtime ?? "node", tally);
    }
    case "bash": {
      const reading = await readShell(text);
      if (reading === undefined) tally.addUnparsed(path);
      else shells.push({ path, text, reading });
      return addRuntime(file, shebang?.runtime ?? "bash", tally);
    }
    case "notebook":
      return scanNotebook(file, content, tally);
    case "extensionless":
      return shebang === undefined ? undefined : addRuntime(file, shebang.runtime, tally);
    default:
      return undefined;
  }
}

function addRuntime({ path: file }: ScannedText, name: string, tally: DependencyTally): void {
  tally.add({ kind: "runtime", name, import: name, optional: false, declared: false, file, line: 1 });
}

async function scanNotebook(
  { path, text }: ScannedText,
  content: BundleIndex,
  tally: DependencyTally,
): Promise<void> {
  const code = notebookCode(text);
  if (code === undefined) return tally.note(path, "not read: not a Python notebook");
  const lines = new TextLines(text);
  await scanPython({ path, text: code, lineOf: (module) => lines.lineOf(module) }, content, tally);
}

function tallyShells(
  shells: readonly ReadShellText[],
  paths: readonly string[],
  content: BundleIndex,
  tally: DependencyTally,
): void {
  const around = {
    defined: new Set(shells.flatMap(({ reading }) => [...reading.defined])),
    // With extensions, because `ffmpeg.sh` is a script that calls ffmpeg.
    files: new Set(paths.map((path) => path.slice(path.lastIndexOf("/") + 1))),
    isLocalModule: (file: string, module: string) => content.modules.has(file, { module, names: [] }),
  };
  for (const shell of shells) tallyShell(shell, around, tally);
}

/** Scans a bundle on disk. A file that cannot be read becomes a note. */
export async function scanBundle(
  bundle: Bundle,
  call: ScanCall = {},
  scan: Scan = scanDependencies,
): Promise<DependencyManifest> {
  const problems: { file: string; message: string }[] = [];
  const files = bundle.files.map(({ path, origin }): ScanFile => {
    if (!isScanned(path)) return { path, bytes: undefined };
    const read = readBounded(origin, MAX_SCANNED_BYTES, { allowHardLinks: bundle.allowHardLinks });
    if (!("problem" in read)) return { path, bytes: read.bytes };
    problems.push({ file: path, message: `not read: ${read.problem.message}` });
    return { path, bytes: undefined };
  });
  const manifest = await scan(files, { name: basename(bundle.root), ...call });
  return { ...manifest, notes: [...problems, ...manifest.notes] };
}
