/** How close a file is to being followed or run. */
export type TextPlace = "instruction" | "code" | "reference";

const REFERENCE_FOLDERS =
  /^(?:references?|docs?|documentation|examples?|samples?|tests?|__tests__|fixtures?|testdata|test-data|evals?|benchmarks?|specs?|templates?|assets|guides?|knowledge|resources|data|rules|patterns|cases|locales?|i18n)$/i;
const CODE_EXTENSIONS =
  /\.(?:py|pyw|ipynb|js|mjs|cjs|jsx|ts|mts|cts|tsx|sh|bash|zsh|fish|ksh|ps1|psm1|bat|cmd|vbs|rb|pl|php|lua|go|rs|java|applescript|scpt|command|r|jl|awk|exs?)$/i;

/** By the path alone; an extensionless file with a shebang is code for its reader. */
export function placeOf(path: string): TextPlace {
  if (CODE_EXTENSIONS.test(path)) return "code";
  const folders = path.split("/").slice(0, -1);
  if (folders.some((folder) => REFERENCE_FOLDERS.test(folder))) return "reference";
  return BACKGROUND.test(path) ? "reference" : "instruction";
}

/** Files beside SKILL.md that people read and agents do not follow. */
const BACKGROUND =
  /(?:^|\/)(?:readme|changelog|license|notice|security|contributing|code_of_conduct|authors)[^/]{0,30}$/i;

const TO_RUN = /\b(?:run|execute|source|bash|sh|install|follow|complete|perform)\b/i;

/** The reference files that SKILL.md says to run or to follow first; these keep their severity. */
export function followedFiles(skillText: string, paths: readonly string[]): ReadonlySet<string> {
  const followed = new Set<string>();
  const lines = skillText.split("\n").filter((line) => TO_RUN.test(line) && line.length < 2000);
  for (const path of paths) {
    if (placeOf(path) !== "reference") continue;
    const name = path.slice(path.lastIndexOf("/") + 1);
    if (
      name.length > 3 &&
      lines.some((line) => (line.includes(path) || line.includes(name)) && MUST.test(line))
    )
      followed.add(path);
  }
  return followed;
}

/** A link alone is an offer; these words make it a step. */
const MUST =
  /\b(?:must|required?|mandatory|prerequisites?|before (?:you|using|starting|any|doing|proceeding|continuing)|first run|run first|always (?:run|execute|follow)|execute (?:the|every|all)|bash |sh |source )/i;
