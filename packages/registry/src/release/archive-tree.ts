import { join, normalize, sep } from "node:path";
import {
  type ArchiveBytes,
  isDueAfter,
  type UnpackedArchive,
  type UnpackOptions,
  unpackTo,
} from "@skillhold/core/archive";
import {
  type BundleFile,
  type FileTree,
  hashSkillFile,
  type TreeEntry,
  type TreeRead,
  type TreeStats,
} from "@skillhold/core/bundle";
import type { Digest } from "@skillhold/protocol";
import type { StagedFile } from "../record/staged-skill.ts";

/** The path of an archive in memory. No such folder exists on the disk. */
const ROOT = `${sep}archive`;

/** The unpacked files of an archive, in memory. They never change. */
export class ArchiveTree implements FileTree {
  readonly root = ROOT;
  readonly #nodes = new Map<string, Node>([[ROOT, new Node("")]]);

  /** Contract: unpacking rejected paths that differ only in case, and files that are also folders. */
  add(path: string, bytes: Uint8Array): Node {
    const node = new Node(path.split("/").at(-1) ?? "", bytes);
    this.#nodes.set(join(ROOT, path), node);
    this.#folderOf(path).children.push(node);
    return node;
  }

  realPath(path: string): string | undefined {
    const real = normalize(path);
    return this.#nodes.has(real) ? real : undefined;
  }

  list(folder: string): readonly TreeEntry[] {
    const node = this.#find(folder);
    if (node?.isDirectory() === true) return node.children;
    throw Object.assign(new Error(`${folder} is not a folder.`), { code: "ENOTDIR" });
  }

  entries(folder: string): Iterable<TreeEntry> {
    return this.list(folder);
  }

  stat(path: string): TreeStats | undefined {
    return this.#find(path);
  }

  diskStats(): undefined {
    return undefined;
  }

  read(path: string, maxBytes: number): TreeRead {
    const node = this.#find(path);
    if (node === undefined) return { problem: { reason: "missing", message: "The file does not exist." } };
    const { bytes } = node;
    if (bytes === undefined) return { problem: { reason: "not-a-file", message: "The path is a folder." } };
    if (bytes.length <= maxBytes) return { bytes };
    return { problem: { reason: "too-large", message: `The file is larger than ${maxBytes} bytes.` } };
  }

  /** Contract: the file is in this tree. */
  stage({ path, size, executable, origin }: BundleFile): StagedFile {
    const node = this.#find(origin);
    if (node?.bytes === undefined) throw new Error(`${path} is not in the archive.`);
    return { path, size, executable, digest: node.digest, content: node.bytes };
  }

  #find(path: string): Node | undefined {
    return this.#nodes.get(normalize(path));
  }

  #folderOf(path: string): Node {
    const end = path.lastIndexOf("/");
    const folder = end === -1 ? "" : path.slice(0, end);
    const found = this.#nodes.get(join(ROOT, folder));
    if (found !== undefined) return found;
    const node = new Node(folder.split("/").at(-1) ?? "");
    this.#nodes.set(join(ROOT, folder), node);
    this.#folderOf(folder).children.push(node);
    return node;
  }
}

/** A file, or a folder when it has no bytes. */
class Node implements TreeEntry, TreeStats {
  readonly name: string;
  readonly bytes: Uint8Array | undefined;
  readonly children: Node[] = [];
  readonly links = 1;
  executable = false;
  #digest: Digest | undefined;

  constructor(name: string, bytes?: Uint8Array) {
    this.name = name;
    this.bytes = bytes;
  }

  get kind(): TreeStats["kind"] {
    return this.bytes === undefined ? "folder" : "file";
  }

  get size(): number {
    return this.bytes?.length ?? 0;
  }

  get digest(): Digest {
    this.#digest ??= hashSkillFile(this.bytes ?? new Uint8Array());
    return this.#digest;
  }

  get stamp(): string {
    return this.digest;
  }

  isFile(): boolean {
    return this.bytes !== undefined;
  }

  isDirectory(): boolean {
    return this.bytes === undefined;
  }

  isSymbolicLink(): boolean {
    return false;
  }
}

/** Unpacks an archive into memory: all of it, or an error that names the entry. The limits bound the memory. */
export async function readArchiveTree(
  archive: ArchiveBytes,
  options: UnpackOptions,
): Promise<UnpackedArchive & { readonly tree: ArchiveTree }> {
  const tree = new ArchiveTree();
  const unpacked = await unpackTo(
    async (contents, pace) => {
      for await (const { entry, pieces } of contents) {
        const bytes = new Uint8Array(entry.size);
        let length = 0;
        for await (const piece of pieces) {
          // Throws for content beyond the size that was checked.
          bytes.set(piece, length);
          length += piece.length;
          if (isDueAfter(piece, pace)) await pace.rest();
        }
        if (entry.kind === "file" && entry.path !== "")
          tree.add(entry.path, bytes).executable = entry.executable;
        if (pace.isDue()) await pace.rest();
      }
    },
    archive,
    options,
  );
  return { ...unpacked, tree };
}
