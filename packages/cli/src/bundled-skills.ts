import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { SkillError } from "@skillhold/protocol/error";

/** In the installed package beside `dist`, in the workspace at its root. */
const places = ["../skills", "../../../skills"];

/** The folder of the skills that come with Skillhold. */
export function bundledSkills(): string {
  for (const place of places) {
    const folder = fileURLToPath(new URL(place, import.meta.url));
    if (existsSync(folder)) return folder;
  }
  throw new SkillError("PATH_NOT_FOUND", "The skills that come with Skillhold are not here.", {
    hint: "Install Skillhold anew, or name a folder of skills.",
  });
}
