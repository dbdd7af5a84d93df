import { posix } from "node:path";

/** The folders of a skill whose modules every script can import. */
const PLACES = ["scripts", "_shared", "scripts/_shared", "tools"] as const;

/**
 * The folders of a skill, relative to it, in which its Python finds modules: those above the given files, the common ones,
 * then the skill's own. Checks and runs share it, so that both find the same modules.
 */
export function modulePlaces(files: readonly string[]): readonly string[] {
  const places = new Set<string>();
  for (const file of files)
    for (let folder = posix.dirname(posix.join("/", file)); folder !== "/"; folder = posix.dirname(folder))
      places.add(folder.slice(1));
  return [...new Set([...places, ...PLACES]), ""];
}
