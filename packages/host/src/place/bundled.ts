import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SkillError } from "@skillhold/protocol/error";

// In the workspace this file is TypeScript below packages/host/src; in an installed package it is below dist.
const isWorkspace = import.meta.url.endsWith(".ts");

/** The folder of the bundled skills. */
export function bundledSkills(): string {
  const folder = bundledFolder();
  if (existsSync(folder)) return folder;
  throw new SkillError("PATH_NOT_FOUND", `The bundled skills are missing from ${folder}.`, {
    hint: "Reinstall Skillhold, or name a folder of skills.",
  });
}

/** Where the bundled skills belong; an incomplete installation lacks the folder. */
export function bundledFolder(): string {
  return at(isWorkspace ? "../../../../skills" : "../../skills");
}

/** Undefined where the console was not built. */
function bundledConsole(): string | undefined {
  const folder = at(isWorkspace ? "../../../console/dist" : "../../console");
  return existsSync(join(folder, "index.html")) ? folder : undefined;
}

/** The folders of the built console and of the rendered documents. */
export function bundledPages(): { readonly console: string | undefined; readonly docs: string | undefined } {
  return { console: bundledConsole(), docs: bundledDocs() };
}

function bundledDocs(): string | undefined {
  const folder = at(isWorkspace ? "../../../../docs-site" : "../../docs");
  return existsSync(join(folder, "index.html")) ? folder : undefined;
}

/** The version of Skillhold: all packages share one. */
export function productVersion(): string {
  const { version }: { readonly version: string } = JSON.parse(
    readFileSync(at("../../package.json"), "utf8"),
  );
  return version;
}

function at(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}
