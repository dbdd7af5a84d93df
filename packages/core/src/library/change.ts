import { type FolderView, folderOf, type Place, type ScannedSource } from "./folder-view.ts";
import type { LibraryChange } from "./library.ts";

/**
 * The effect of a reload on the current skills; undefined when there is none. `told` are the broken skills that were
 * already reported.
 */
export function changeBetween(
  before: FolderView,
  after: FolderView,
  scanned: readonly ScannedSource[],
  told: ReadonlySet<string>,
): LibraryChange | undefined {
  const added: string[] = [];
  const changed: string[] = [];
  for (const place of after.places()) {
    const last = before.place(place.id);
    if (last === undefined) added.push(place.id);
    else if (isOther(last, place)) changed.push(place.id);
  }
  const removed: string[] = [];
  for (const { id } of before.places()) if (after.place(id) === undefined) removed.push(id);
  const broken = brokenPlaces(after, scanned).filter(({ id }) => !told.has(id));
  if (added.length + changed.length + removed.length + broken.length === 0) return undefined;
  return { added: added.sort(), changed: changed.sort(), removed: removed.sort(), broken };
}

/** Rewriting or touching a file without a new hash is not a change. */
function isOther(last: Place, place: Place): boolean {
  if (last.folder !== place.folder || last.source !== place.source) return true;
  return last.row !== place.row && last.row.recordText !== place.row.recordText;
}

/** Skills that keep their last valid text because the file on disk is invalid. */
function brokenPlaces(after: FolderView, scanned: readonly ScannedSource[]): LibraryChange["broken"] {
  const invalid = new Map<string, string>();
  for (const { scan } of scanned) {
    for (const row of scan.rows) {
      if (row.isValid) continue;
      const folder = folderOf(scan.root, row);
      const errors = row.record.diagnostics.filter(({ severity }) => severity === "error");
      invalid.set(folder, errors.map(({ message }) => message).join(" "));
    }
  }
  if (invalid.size === 0) return [];
  return [...after.places()].flatMap(({ id, folder }: Place) => {
    const message = invalid.get(folder);
    return message === undefined ? [] : [{ id, message }];
  });
}
