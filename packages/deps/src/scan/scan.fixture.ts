import type { DependencyManifest } from "@skillhold/core/test/dependency/dependency";
import { scanDependencies } from "./scan.ts";

/** Files by path, as text or bytes. */
export type FileTable = Readonly<Record<string, string | Uint8Array>>;

export async function scanTable(files: FileTable): Promise<DependencyManifest> {
  return scanDependencies(
    Object.entries(files).map(([path, content]) => ({
      path,
      bytes: typeof content === "string" ? new TextEncoder().encode(content) : content,
    })),
    { name: "demo-skill" },
  );
}

/**
 * A manifest on one line: `pip:Pillow(PIL)@1 npm:x?@2 git!`, with `?` for optional, `!` for declared, and the
 * first line number.
 */
export function brief(manifest: DependencyManifest, kinds: readonly string[]): string {
  return manifest.dependencies
    .filter(({ kind }) => kinds.includes(kind))
    .map((each) => {
      const module = each.import === each.name ? "" : `(${each.import})`;
      return `${each.kind}:${each.name}${module}${each.optional ? "?" : ""}${each.declared ? "!" : ""}`;
    })
    .join(" ");
}
