import { isJunk } from "@skillhold/skill";

/** A file of a folder, by its path below and with that folder. */
export interface FolderFile {
  readonly path: string;
  readonly file: File;
}

/** One dropped or chosen item. */
export type Dropped =
  | {
      readonly kind: "folder";
      readonly name: string;
      readonly files: readonly FolderFile[];
      readonly skipped: readonly string[];
    }
  | { readonly kind: "archive"; readonly name: string; readonly file: File }
  | { readonly kind: "unknown"; readonly name: string };

/**
 * Reads the dropped items. Contract: call it inside the event handler, because the browser clears the items afterwards.
 */
export async function readTransfer({ items }: DataTransfer): Promise<readonly Dropped[]> {
  const taken = [...items]
    .filter(({ kind }) => kind === "file")
    .map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }));
  const folders: Dropped[] = [];
  const files: File[] = [];
  for (const { entry, file } of taken) {
    if (entry !== null && isFolder(entry)) folders.push(await readFolder(entry));
    else if (file !== null) files.push(file);
  }
  return [...folders, ...sortFiles(files)];
}

/** Reads the chosen items: files, or one folder with all its content. */
export function readChosen(chosen: Iterable<File>): readonly Dropped[] {
  const all = [...chosen];
  const loose = all.filter(({ webkitRelativePath }) => webkitRelativePath === "");
  const inFolders = all.filter(({ webkitRelativePath }) => webkitRelativePath !== "");
  const byFolder = Map.groupBy(
    inFolders,
    ({ webkitRelativePath }) => webkitRelativePath.split("/", 1)[0] ?? "",
  );
  const folders = [...byFolder].map(([name, files]) => folderOf(name, files));
  return [...folders, ...sortFiles(loose)];
}

function folderOf(name: string, files: readonly File[]): Dropped {
  const named = files.map((file) => ({ path: file.webkitRelativePath, file }));
  const kept = named.filter(({ path }) => findJunk(path) === undefined);
  const skipped = new Set(named.flatMap(({ path }) => findJunk(path) ?? []));
  return { kind: "folder", name, files: kept, skipped: [...skipped] };
}

/** The path up to the name for which it is left out. */
function findJunk(path: string): string | undefined {
  const names = path.split("/");
  const at = names.findIndex(isJunk);
  return at === -1 ? undefined : names.slice(0, at + 1).join("/");
}

const ARCHIVE = /\.(?:zip|skill|tgz|tar\.gz|tar)$/i;

/** Archives are each for itself. Other files are together a folder, if one of them is a SKILL.md. */
export function sortFiles(files: readonly File[]): readonly Dropped[] {
  const archives = files.filter(({ name }) => ARCHIVE.test(name));
  const others = files.filter(({ name }) => !ARCHIVE.test(name) && !isJunk(name));
  const found: Dropped[] = archives.map((file) => ({ kind: "archive", name: file.name, file }));
  if (others.some(({ name }) => name.toLowerCase() === "skill.md")) {
    const loose = others.map((file) => ({ path: file.name, file }));
    return [...found, { kind: "folder", name: "SKILL.md", files: loose, skipped: [] }];
  }
  return [...found, ...others.map(({ name }): Dropped => ({ kind: "unknown", name }))];
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

async function readFolder(root: FileSystemDirectoryEntry): Promise<Dropped> {
  const files: FolderFile[] = [];
  const skipped: string[] = [];
  const folders = [{ path: root.name, entry: root }];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    for (const entry of await listEntries(next.entry)) {
      const path = `${next.path}/${entry.name}`;
      if (isJunk(entry.name)) skipped.push(path);
      else if (isFolder(entry)) folders.push({ path, entry });
      else if (isFile(entry))
        files.push({ path, file: await new Promise((done, fail) => entry.file(done, fail)) });
    }
  }
  return { kind: "folder", name: root.name, files, skipped };
}

/** Lists all entries: the browser returns up to a hundred per call, and an empty batch at the end. */
async function listEntries(folder: FileSystemDirectoryEntry): Promise<readonly FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail));
    if (some.length === 0) return all;
    all.push(...some);
  }
}
