import { hash } from "node:crypto";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { MemoryTree } from "../bundle/memory-tree.ts";
import type { ArchiveFile } from "./archive-file.ts";

/** A skill as people make them: empty files, scripts, deep folders, names in other scripts, binary content. */
export const sampleTree: readonly ArchiveFile[] = [
  text("demo/SKILL.md", "---\nname: demo\ndescription: A skill to pack.\n---\nBody.\n"),
  text("demo/empty.txt", ""),
  text("demo/references/a/b/c/deep.md", "x".repeat(5000)),
  text("demo/references/a file with blanks.md", "blanks\r\n"),
  text("demo/references/说明 café.md", "Unicode\n"),
  text(`demo/references/${"long-".repeat(30)}name.md`, "long\n"),
  { path: "demo/scripts/run.sh", executable: true, content: Buffer.from("#!/bin/sh\necho hi\n") },
  { path: "demo/assets/image.bin", executable: false, content: noise(40_000) },
];

function text(path: string, content: string): ArchiveFile {
  return { path, executable: false, content: Buffer.from(content) };
}

/** Bytes that do not compress, the same every time. */
export function noise(length: number): Buffer {
  return Buffer.from(
    Uint32Array.from({ length: length / 4 }, (_, at) => Math.imul(at + 1, 2654435761)).buffer,
  );
}

export function writeTree(folder: string, files: readonly ArchiveFile[]): void {
  for (const { path, executable, content } of files) {
    const absolute = join(folder, path);
    mkdirSync(dirname(absolute), { recursive: true });
    writeFileSync(absolute, content);
    chmodSync(absolute, executable ? 0o755 : 0o644);
  }
}

/** Every file of an unpacked archive, sorted. */
export function readTree(tree: MemoryTree): readonly ArchiveFile[] {
  return [...tree.files()]
    .map(({ path, executable, bytes }) => ({ path, executable, content: bytes }))
    .sort(byPath);
}

/** In a form that compares fast and reads well. */
export function describeTree(files: readonly ArchiveFile[]): readonly string[] {
  return files
    .toSorted(byPath)
    .map(({ path, executable, content }) => `${path} ${executable ? "x" : "-"} ${hash("sha256", content)}`);
}

function byPath(a: ArchiveFile, b: ArchiveFile): number {
  return a.path < b.path ? -1 : 1;
}
