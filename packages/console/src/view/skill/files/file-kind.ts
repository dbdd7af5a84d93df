/** Image types that a page may show: an `img` element runs no scripts, not even those of an SVG. */
const pictures: ReadonlyMap<string, string> = new Map([
  ["gif", "image/gif"],
  ["jpeg", "image/jpeg"],
  ["jpg", "image/jpeg"],
  ["png", "image/png"],
  ["svg", "image/svg+xml"],
  ["webp", "image/webp"],
]);

export function pictureType(path: string): string | undefined {
  return pictures.get(endingOf(path));
}

const languages: ReadonlyMap<string, string> = new Map([
  ["bash", "shellscript"],
  ["cjs", "javascript"],
  ["css", "css"],
  ["diff", "diff"],
  ["go", "go"],
  ["html", "html"],
  ["ini", "ini"],
  ["js", "javascript"],
  ["json", "json"],
  ["jsx", "tsx"],
  ["markdown", "markdown"],
  ["md", "markdown"],
  ["mjs", "javascript"],
  ["mts", "typescript"],
  ["patch", "diff"],
  ["py", "python"],
  ["rs", "rust"],
  ["sh", "shellscript"],
  ["sql", "sql"],
  ["svg", "xml"],
  ["toml", "toml"],
  ["ts", "typescript"],
  ["tsx", "tsx"],
  ["xml", "xml"],
  ["xsd", "xml"],
  ["yaml", "yaml"],
  ["yml", "yaml"],
  ["zsh", "shellscript"],
]);
const programs: readonly (readonly [RegExp, string])[] = [
  [/^#!.*\bpython/, "python"],
  [/^#!.*\b(?:ba|z|da)?sh\b/, "shellscript"],
  [/^#!.*\b(?:node|bun|deno)\b/, "javascript"],
];

/** The language of a file, by its name or else by its first line. */
export function languageOf(path: string, firstLine = ""): string | undefined {
  return languages.get(endingOf(path)) ?? programs.find(([pattern]) => pattern.test(firstLine))?.[1];
}

function endingOf(path: string): string {
  return /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
}
