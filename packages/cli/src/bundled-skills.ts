import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { SkillError } from "@skillhold/protocol/error";

/** The folder of the skills that come with Skillhold. */
export function bundledSkills(): string {
  // Sources are in the workspace, whose root has the skills; emitted code is in the package, and they are beside it.
  const place = import.meta.url.endsWith(".ts") ? "../../../skills" : "../skills";
  const folder = fileURLToPath(new URL(place, import.meta.url));
  if (existsSync(folder)) return folder;
  throw new SkillError("PATH_NOT_FOUND", "The skills that come with Skillhold are not here.", {
    hint: "Install Skillhold anew, or name a folder of skills.",
  });
}
