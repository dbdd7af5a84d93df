/** What a file is to its skill. Browser-safe: decided from the path alone. */
export type Role =
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

const rolesOfFolders: ReadonlyMap<string, Role> = new Map<string, Role>([
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

const rolesOfFiles: ReadonlyMap<string, Role> = new Map<string, Role>([
  ["SKILL.md", "instructions"],
  ["skill.md", "instructions"],
  ["links.yaml", "links"],
  [".clawhubignore", "ignore"],
  [".clawdhubignore", "ignore"],
  [".skillignore", "ignore"],
  [".gitignore", "ignore"],
]);

/** The role of a file by its path in the bundle; only the skill's own top level gives names a meaning. */
export function roleOf(path: string): Role {
  const slash = path.indexOf("/");
  if (slash === -1) return rolesOfFiles.get(path) ?? "resource";
  return rolesOfFolders.get(path.slice(0, slash)) ?? "resource";
}

/** True for what an agent reads as it is: neither run, nor evaluated, nor about the packing itself. */
export function isResource(role: Role): boolean {
  return role === "reference" || role === "template" || role === "asset" || role === "resource";
}
