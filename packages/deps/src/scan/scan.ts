import { setImmediate as nextTurn } from "node:timers/promises";
import type { DependencyManifest, ScanFile } from "@skillhold/core/dependency";
import { parseSkill } from "@skillhold/skill";
import { parse } from "smol-toml";
import { type BundleContent, type CodeText, scanPython, scanScript } from "./code-scan.ts";
import { applyDeclaration, tallyDeclaration } from "./declaration-scan.ts";
import { type Declaration, readDeclaration } from "./declared.ts";
import { type FileType, fileTypeOf } from "./file-type.ts";
import { LocalModules } from "./local-module.ts";
import { tallyManifest } from "./manifest-scan.ts";
import { notebookCode } from "./notebook.ts";
import type { ParseToml } from "./pyproject.ts";
import { readShebang, type Shebang } from "./shebang.ts";
import { readShell } from "./shell-command.ts";
import { type ReadShellText, tallyShell } from "./shell-scan.ts";
import { Tally } from "./tally.ts";
import { TextLines } from "./text-line.ts";
import { WorkTime } from "./work-time.ts";

export interface ScanOptions {
  /** The name of the bundle's folder, by which code may import the bundle itself. */
  readonly name?: string;
  /** Reads pyproject.toml and inline metadata; a parser of ours unless another is named. */
  readonly parseToml?: ParseToml;
  /** After this time no other file is begun; real bundles take a hundredth of what is allowed otherwise. */
  readonly timeMs?: number;
}

/** Larger files are data or built code; a note says that they were not read. */
export const MAX_SCANNED_BYTES = 1_000_000;

/** Whether a file's bytes can say anything of dependencies. */
export function isScanned(path: string): boolean {
  return fileTypeOf(path) !== undefined;
}

/**
 * What a bundle needs, from all its code and manifests. Bad files are notes; nothing throws, nothing is run or
 * opened, and time is in proportion to the bytes, up to what a bundle may take. Other work has its turn between files.
 */
export async function scanDependencies(
  files: readonly ScanFile[],
  options: ScanOptions = {},
): Promise<DependencyManifest> {
  const tally = new Tally(options.timeMs);
  const texts = files.flatMap((file) => readText(file, tally));
  const declaration = declarationOf(texts);
  // Manifests first: they say which of several distributions of a module is meant.
  if (declaration !== undefined) tallyDeclaration(declaration, tally);
  const paths = files.map(({ path }) => path);
  const { development, packages } = await tallyManifests(texts, paths, options, tally);
  const content: BundleContent = {
    modules: new LocalModules(paths, options.name),
    paths: new Set(paths.flatMap(namesOf)),
    packages,
  };
  const shells: ReadShellText[] = [];
  for (const text of texts.filter(({ type }) => !MANIFESTS.has(type)))
    await inTime(text, tally, () => scanCode(text, content, shells, tally));
  tallyShells(shells, paths, content, tally);
  return applyDeclaration(tally.manifest(development), declaration?.declared);
}

/** What is known of a bundle that took too long: as if the parser had given up each of its files. */
export function unreadable(files: readonly ScanFile[]): DependencyManifest {
  const tally = new Tally();
  for (const { path, bytes } of files) if (bytes !== undefined && isScanned(path)) tally.giveUp(path);
  return tally.manifest(new Set());
}

/** A path, and what code may call it: without its extension, or by the folder that it is the index of. */
function namesOf(path: string): readonly string[] {
  const bare = path.replace(/\.[^/.]+$/, "");
  return bare.endsWith("/index") ? [path, bare, bare.slice(0, -"/index".length)] : [path, bare];
}

const MANIFESTS: ReadonlySet<FileType> = new Set(["requirements", "package", "pyproject", "skill"]);

interface ScannedText extends CodeText {
  readonly type: FileType;
  readonly shebang: Shebang | undefined;
}

function readText({ path, bytes }: ScanFile, tally: Tally): readonly ScannedText[] {
  const type = fileTypeOf(path);
  if (type === undefined || bytes === undefined) return [];
  if (bytes.length > MAX_SCANNED_BYTES && type !== "skill") {
    if (type !== "extensionless")
      tally.note(path, `it is larger than ${MAX_SCANNED_BYTES} bytes and was not read`);
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
  options: ScanOptions,
  tally: Tally,
): Promise<{ development: ReadonlySet<string>; packages: ReadonlySet<string> }> {
  const found = { development: new Set<string>(), packages: new Set<string>() };
  const around = { paths: new Set(paths), parseToml: options.parseToml ?? parse, ...found };
  for (const file of texts) await inTime(file, tally, () => tallyManifest(file, file.type, around, tally));
  return found;
}

/** Reads a file if the bundle has not used up its time, and lets other work have its turn. */
async function inTime({ path }: ScannedText, tally: Tally, read: () => void | Promise<void>): Promise<void> {
  if (tally.isExhausted) return tally.note(path, "it was not read, because others took too long to parse");
  const work = new WorkTime();
  await read();
  if (tally.spend(work.ms)) await nextTurn();
}

async function scanCode(
  file: ScannedText,
  content: BundleContent,
  shells: ReadShellText[],
  tally: Tally,
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
      if (reading === undefined) tally.giveUp(path);
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

function addRuntime({ path: file }: ScannedText, name: string, tally: Tally): void {
  tally.add({ kind: "runtime", name, import: name, optional: false, declared: false, file, line: 1 });
}

async function scanNotebook(
  { path, text }: ScannedText,
  content: BundleContent,
  tally: Tally,
): Promise<void> {
  const code = notebookCode(text);
  if (code === undefined) return tally.note(path, "it is no notebook of Python and was not read");
  const lines = new TextLines(text);
  await scanPython({ path, text: code, lineOf: (module) => lines.lineOf(module) }, content, tally);
}

function tallyShells(
  shells: readonly ReadShellText[],
  paths: readonly string[],
  content: BundleContent,
  tally: Tally,
): void {
  const around = {
    defined: new Set(shells.flatMap(({ reading }) => [...reading.defined])),
    // With their extensions: `ffmpeg.sh` is a script around ffmpeg, and not ffmpeg.
    files: new Set(paths.map((path) => path.slice(path.lastIndexOf("/") + 1))),
    isLocalModule: (file: string, module: string) => content.modules.has(file, { module, names: [] }),
  };
  for (const shell of shells) tallyShell(shell, around, tally);
}
