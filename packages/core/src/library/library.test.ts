import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Host } from "@skillhold/skill";
import { afterAll } from "vitest";
import { type ContractSkill, type LibraryMaker, libraryContract } from "./library.contract.ts";
import { FolderLibrary, MemoryLibrary, openLibrary, openMemoryLibrary } from "./open-library.ts";

const host: Host = { platform: "linux", hasEnv: () => true, hasBin: () => true, hasConfig: () => true };
const roots: string[] = [];
afterAll(() => {
  for (const root of roots) rmSync(root, { recursive: true, force: true });
});

libraryContract("folders", folderMaker);
libraryContract(
  "memory",
  (): LibraryMaker => ({
    open: async (skills, settings = {}) => openMemoryLibrary(skills, { host, settings }),
    replace: async (library, skills) => {
      if (library instanceof MemoryLibrary) library.replace(skills);
    },
  }),
);

function folderMaker(): LibraryMaker {
  const root = mkdtempSync(join(tmpdir(), "skillhold-library-"));
  roots.push(root);
  return {
    open: async (skills, settings = {}) => {
      write(root, skills);
      const source = { label: "test", kind: "user", trust: "user", root } as const;
      return await openLibrary({ sources: [source], host, settings });
    },
    replace: async (library, skills) => {
      rmSync(root, { recursive: true, force: true });
      write(root, skills);
      if (library instanceof FolderLibrary) await library.reload();
    },
  };
}

function write(root: string, skills: readonly ContractSkill[]): void {
  mkdirSync(root, { recursive: true });
  for (const { folder, files } of skills) {
    for (const [path, content] of Object.entries(files)) {
      const file = join(root, folder, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
      if (path.startsWith("scripts/")) chmodSync(file, 0o755);
    }
  }
}
