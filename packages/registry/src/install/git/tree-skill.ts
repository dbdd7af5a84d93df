import type { OfferedSkill } from "../source.ts";

/** The deepest folder in which a skill is looked for without being named. */
const DEPTH = 5;
const SKIPPED: ReadonlySet<string> = new Set(["node_modules", "dist", "build", "__pycache__"]);
/** Hidden folders that are looked into, below `skills`. */
const SHOWN: ReadonlySet<string> = new Set([".curated", ".experimental", ".system"]);
/** Where repositories keep their skills: when one of these fits, no other place is looked at. */
const PLACES: readonly RegExp[] = [
  /^skills\/[^/]+$/,
  /^skills\/[^/]+\/[^/]+$/,
  /^plugins\/[^/]+\/skills\/[^/]+$/,
];

/**
 * The skills of a repository, from the paths of its files: below `under` alone, where that is given. A SKILL.md at the
 * top is the only skill. Pure; the paths are hostile and are only compared.
 */
export function findTreeSkills(paths: readonly string[], under = ""): readonly OfferedSkill[] {
  const prefix = under === "" ? "" : `${under}/`;
  const folders = paths.flatMap((path) => {
    if (!path.startsWith(prefix)) return [];
    const [, folder] = /^(?:(.*)\/)?(?:SKILL|skill)\.md$/.exec(path.slice(prefix.length)) ?? [
      undefined,
      undefined,
    ];
    const isSkill = /(?:^|\/)(?:SKILL|skill)\.md$/.test(path.slice(prefix.length));
    return isSkill ? [folder ?? ""] : [];
  });
  if (folders.includes("")) return [offer(under, "")];
  const known = new Set(folders);
  const seen = [...known].filter((folder) => isShown(folder) && !isNested(folder, known)).sort();
  const placed = seen.filter((folder) => PLACES.some((place) => place.test(folder)));
  return (placed.length > 0 ? placed : seen).map((folder) => offer(under, folder));
}

function offer(under: string, folder: string): OfferedSkill {
  const path = [under, folder].filter((part) => part !== "").join("/");
  return { path: path === "" ? "." : path, name: path.split("/").at(-1) ?? "" };
}

function isShown(folder: string): boolean {
  const parts = folder.split("/");
  if (parts.length > DEPTH) return false;
  return parts.every((part, at) => {
    if (SKIPPED.has(part) || part.startsWith("_")) return false;
    return !part.startsWith(".") || (SHOWN.has(part) && parts[at - 1] === "skills");
  });
}

/** A skill inside another one is a part of it. */
function isNested(folder: string, known: ReadonlySet<string>): boolean {
  const parts = folder.split("/");
  return parts.some((_, at) => at > 0 && known.has(parts.slice(0, at).join("/")));
}
