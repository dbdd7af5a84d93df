import type { FolderView, Place, ScannedSource } from "./folder-view.ts";
import type { LibraryChange } from "./library.ts";

/** What a reload did to the skills that count, or undefined when it did nothing to them. */
export function changeBetween(
  before: FolderView,
  after: FolderView,
  scanned: readonly ScannedSource[],
): LibraryChange | undefined {
  const added: string[] = [];
  const changed: string[] = [];
  for (const place of after.places()) {
    const last = before.place(place.id);
    if (last === undefined) added.push(place.id);
    else if (last.row !== place.row || last.folder !== place.folder) changed.push(place.id);
  }
  const removed = [...before.places()].filter(({ id }) => after.place(id) === undefined).map(({ id }) => id);
  const broken = brokenPlaces(after, scanned);
  if (added.length + changed.length + removed.length + broken.length === 0) return undefined;
  return { added: added.sort(), changed: changed.sort(), removed: removed.sort(), broken };
}

/** Skills that go on with their last good text because the file on disk is invalid now. */
function brokenPlaces(after: FolderView, scanned: readonly ScannedSource[]): LibraryChange["broken"] {
  const invalid = new Map<string, string>();
  for (const { scan } of scanned) {
    for (const row of scan.rows) {
      if (row.isValid) continue;
      const folder = row.path === "." ? scan.root : `${scan.root}/${row.path}`;
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
