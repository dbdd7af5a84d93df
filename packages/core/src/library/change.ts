import { type FolderView, folderOf, type Place, type ScannedSource } from "./folder-view.ts";
import type { LibraryChange } from "./library.ts";

/**
 * What a reload did to the skills that count, or undefined when it did nothing to them. `told` are the skills that
 * were told to be broken before and still are.
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

/** A file that was only written again, or touched, is no change. */
function isOther(last: Place, place: Place): boolean {
  if (last.folder !== place.folder || last.source !== place.source) return true;
  return last.row !== place.row && last.row.recordText !== place.row.recordText;
}

/** Skills that go on with their last good text because the file on disk is invalid now. */
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
