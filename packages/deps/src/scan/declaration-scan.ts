import type { Dependency, DependencyManifest } from "@skillhold/core/dependency";
import type { Declaration } from "./declared.ts";
import { normalizePip } from "./package-name.ts";
import { moduleOf } from "./python-distribution.ts";
import type { Tally } from "./tally.ts";
import type { TextLines } from "./text-line.ts";

/** Adds what the frontmatter declares, each on the line that names it. */
export function tallyDeclaration(
  from: { readonly declared: Declaration; readonly path: string; readonly lines: TextLines },
  tally: Tally,
): void {
  for (const { kind, name, optional } of from.declared.dependencies) {
    const module = kind === "pip" ? moduleOf(name) : name;
    const line = from.lines.lineOf(name);
    tally.add({ kind, name, import: module, optional, declared: true, file: from.path, line });
  }
  for (const note of from.declared.notes) tally.note(from.path, note);
}

/** The author's last word: what is left out of the manifest, and whether what is declared is all of it. */
export function applyDeclaration(
  manifest: DependencyManifest,
  declared: Declaration | undefined,
): DependencyManifest {
  if (declared === undefined) return manifest;
  const kept = declared.isExclusive
    ? manifest.dependencies.filter((dependency) =>
        declared.dependencies.some((each) => isSame(each, dependency)),
      )
    : manifest.dependencies;
  const dependencies = kept.filter(
    (dependency) => !declared.excluded.some((text) => isExcluded(text, dependency)),
  );
  const { notes } = manifest;
  return { dependencies, notes, ...(declared.ways.length === 0 ? {} : { ways: declared.ways }) };
}

function isSame(a: Pick<Dependency, "kind" | "name">, b: Pick<Dependency, "kind" | "name">): boolean {
  return a.kind === b.kind && normalizePip(a.name) === normalizePip(b.name);
}

function isExcluded(text: string, dependency: Dependency): boolean {
  const [, kind, name = text] = /^(pip|npm|system|runtime):(.*)$/s.exec(text) ?? [];
  if (kind !== undefined && kind !== dependency.kind) return false;
  return name === dependency.import || normalizePip(name) === normalizePip(dependency.name);
}
