import { isSkillFile } from "./skill-file.ts";

/** The role of a file in its skill, decided by its path alone. */
export type FileRole =
  | "instructions"
  | "script"
  | "tool"
  | "reference"
  | "template"
  | "asset"
  | "example"
  | "agent"
  | "evaluation"
  | "links"
  | "ignore"
  | "helper"
  | "resource";

const rolesOfFolders: ReadonlyMap<string, FileRole> = new Map<string, FileRole>([
  ["scripts", "script"],
  ["tools", "tool"],
  ["references", "reference"],
  ["templates", "template"],
  ["assets", "asset"],
  ["examples", "example"],
  ["agents", "agent"],
  ["evals", "evaluation"],
  ["_shared", "helper"],
]);

const rolesOfFiles: ReadonlyMap<string, FileRole> = new Map<string, FileRole>([
  ["links.yaml", "links"],
  [".clawhubignore", "ignore"],
  [".clawdhubignore", "ignore"],
  [".skillignore", "ignore"],
  [".gitignore", "ignore"],
]);

/** The role of a file. Only top-level names have a meaning. */
export function fileRole(path: string): FileRole {
  const slash = path.indexOf("/");
  if (slash === -1) return isSkillFile(path) ? "instructions" : (rolesOfFiles.get(path) ?? "resource");
  return rolesOfFolders.get(path.slice(0, slash)) ?? "resource";
}

/** True for a file that an agent reads as content: not a script, an evaluation or packing data. */
export function isResource(role: FileRole): boolean {
  return role === "reference" || role === "template" || role === "asset" || role === "resource";
}
