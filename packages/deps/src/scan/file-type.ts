import type { Language } from "./syntax.ts";

/** What the scanner reads a file as. An extensionless one may have a first line that says more. */
export type FileType =
  | Language
  | "notebook"
  | "requirements"
  | "pyproject"
  | "package"
  | "skill"
  | "extensionless";

/** By its path alone; undefined when nothing in the file can name a dependency. */
export function fileTypeOf(path: string): FileType | undefined {
  const parts = path.split("/");
  const name = parts.pop() ?? "";
  if (parts.some((part) => VENDORED.has(part))) return undefined;
  const known = NAMES.get(name);
  if (known !== undefined) return known === "skill" && parts.length > 0 ? undefined : known;
  if (isRequirements(name, parts.at(-1))) return "requirements";
  const dot = name.lastIndexOf(".");
  return dot > 0 ? EXTENSIONS.get(name.slice(dot + 1).toLowerCase()) : extensionless(name);
}

/** Folders of installed packages: they are what is there, and not what is asked for. */
const VENDORED = new Set(["node_modules", "site-packages", "dist-packages", "__pycache__", ".venv", "venv"]);

const NAMES: ReadonlyMap<string, FileType> = new Map<string, FileType>([
  ["SKILL.md", "skill"],
  ["skill.md", "skill"],
  ["pyproject.toml", "pyproject"],
  ["package.json", "package"],
]);

const EXTENSIONS: ReadonlyMap<string, FileType> = new Map<string, FileType>([
  ["py", "python"],
  ["pyw", "python"],
  ["ipynb", "notebook"],
  ["js", "javascript"],
  ["mjs", "javascript"],
  ["cjs", "javascript"],
  ["jsx", "javascript"],
  ["ts", "typescript"],
  ["mts", "typescript"],
  ["cts", "typescript"],
  ["tsx", "tsx"],
  ["sh", "bash"],
  ["bash", "bash"],
  ["zsh", "bash"],
]);

function isRequirements(name: string, folder: string | undefined): boolean {
  if (!/\.(?:txt|in)$/.test(name)) return false;
  return /^requirements|requirements\.(?:txt|in)$/i.test(name) || folder === "requirements";
}

/** `LICENSE` and the like are prose. */
function extensionless(name: string): FileType | undefined {
  return /^[A-Z]+$/.test(name) || name.startsWith(".") ? undefined : "extensionless";
}
