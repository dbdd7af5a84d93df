import { join, normalize, sep } from "node:path";
import type { Digest } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { FileTree, TreeEntry, TreeRead, TreeStats } from "./file-tree.ts";
import { hashSkillFile } from "./tree-hash.ts";

/** The path of a tree in memory. No such folder exists on the disk. */
const ROOT = `${sep}memory`;

/** A file of a tree in memory. */
export interface MemoryFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly executable: boolean;
  readonly digest: Digest;
}

/** Files in memory, such as those of an archive. Their bytes never change. */
export class MemoryTree implements FileTree {
  readonly root = ROOT;
  readonly #nodes = new Map<string, Node>([[ROOT, new Node("")]]);

  /** Contract: the path is a normal relative path. */
  add(path: string, bytes: Uint8Array, executable = false): void {
    if (this.#nodes.has(join(ROOT, path))) throw rejectPath(path, "appears twice");
    const node = new Node(path, bytes, executable);
    this.#folderOf(path).children.push(node);
    this.#nodes.set(join(ROOT, path), node);
  }

  /** All files, in the order of their addition. */
  *files(): Generator<MemoryFile> {
    for (const node of this.#nodes.values()) if (isFileNode(node)) yield node;
  }

  /** The file at an absolute path of this tree. */
  file(path: string): MemoryFile | undefined {
    const node = this.#find(path);
    return node !== undefined && isFileNode(node) ? node : undefined;
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

  #find(path: string): Node | undefined {
    return this.#nodes.get(normalize(path));
  }

  #folderOf(path: string): Node {
    const end = path.lastIndexOf("/");
    const folder = end === -1 ? "" : path.slice(0, end);
    const found = this.#nodes.get(join(ROOT, folder));
    if (found?.isFile() === true) throw rejectPath(folder, "is a file and a folder");
    if (found !== undefined) return found;
    const node = new Node(folder);
    this.#folderOf(folder).children.push(node);
    this.#nodes.set(join(ROOT, folder), node);
    return node;
  }
}

function rejectPath(path: string, problem: string): SkillError {
  return new SkillError("SKILL_INVALID", `${path} ${problem}.`, { details: { path } });
}

/** A file, or a folder when it has no bytes. */
class Node implements TreeEntry, TreeStats {
  readonly path: string;
  readonly name: string;
  readonly bytes: Uint8Array | undefined;
  readonly executable: boolean;
  readonly children: Node[] = [];
  readonly links = 1;
  #digest: Digest | undefined;

  constructor(path: string, bytes?: Uint8Array, executable = false) {
    this.path = path;
    this.name = path.split("/").at(-1) ?? "";
    this.bytes = bytes;
    this.executable = executable;
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

function isFileNode(node: Node): node is Node & MemoryFile {
  return node.bytes !== undefined;
}
