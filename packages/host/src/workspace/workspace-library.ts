import { closeSync, readdirSync, readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { openInside, pack, tryStat } from "@skillhold/core/bundle";
import {
  type IndexedLibrary,
  type MemorySkill,
  openLayeredLibrary,
  openLibrary,
  openMemoryLibrary,
} from "@skillhold/core/library";
import type { Limits } from "@skillhold/protocol/limits";
import { type LiveWorkspace, SKILLS_FOLDER } from "@skillhold/registry/workspace";
import { findSkillFiles, type Host, isToolFile, synthesizeSkillText } from "@skillhold/skill";

export interface WorkspaceLibrary {
  readonly library: IndexedLibrary;
  /** Scans the folder again. */
  readonly refresh: () => Promise<void>;
}

/** The listed skills of a workspace as a library. A skill that is not listed is off, and folders with only tools load. */
export async function openWorkspaceLibrary(
  workspace: LiveWorkspace,
  { host, limits }: { readonly host: Host; readonly limits: Limits },
): Promise<WorkspaceLibrary> {
  const root = join(workspace.folder, SKILLS_FOLDER);
  if (tryStat(root) === undefined) await mkdir(root, { recursive: true });
  let listed = new Set(workspace.skills);
  const disabled = {
    has: (id: string) => !listed.has(id),
    get state() {
      return listed;
    },
  };
  const source = { label: SKILLS_FOLDER, kind: "workspace", trust: "user", root } as const;
  const folders = await openLibrary({ sources: [source], host, limits });
  const tools = openMemoryLibrary(await readToolSkills(root, [...listed], limits), { host, limits });
  const library = openLayeredLibrary([folders, tools], { limits, settings: { disabled } });
  const refresh = async () => {
    await folders.reload();
    tools.replace(await readToolSkills(root, workspace.skills, limits));
    listed = new Set(workspace.skills);
  };
  return { library, refresh };
}

/** The listed folders that have tools and no SKILL.md, with a generated one. */
async function readToolSkills(
  root: string,
  names: readonly string[],
  limits: Limits,
): Promise<readonly MemorySkill[]> {
  const skills: MemorySkill[] = [];
  for (const name of names) {
    if (!isToolOnly(join(root, name))) continue;
    const bundle = await pack(join(root, name), { limits, shared: "none" });
    const files: Record<string, Uint8Array | string> = {};
    for (const { base, path } of bundle.files) {
      const { fd } = openInside(base, path);
      try {
        files[path] = readFileSync(fd);
      } finally {
        closeSync(fd);
      }
    }
    const text = synthesizeSkillText(name, Object.keys(files).filter(isToolFile).toSorted());
    skills.push({ folder: name, files: { ...files, "SKILL.md": text }, trust: "user" });
  }
  return skills;
}

function isToolOnly(folder: string): boolean {
  try {
    return findSkillFiles(readdirSync(folder)).length === 0;
  } catch {
    // The workspace reports a folder that cannot be read.
    return false;
  }
}
