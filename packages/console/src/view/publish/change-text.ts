import { createTwoFilesPatch } from "diff";
import { call } from "../../api/client.ts";
import { decodeText } from "../skill/files/file-text.ts";
import { SHOWN_BYTES } from "../skill/use-file.ts";
import { listArchive } from "./archive-list.ts";
import type { Change } from "./parcel.ts";
import { archiveOf } from "./parcel-store.ts";

/** A file that publishing would change. */
export interface ChangePlace {
  readonly id: string;
  /** Where it was dropped, and where in that the skill is. */
  readonly parcel: number;
  readonly folder: string;
  readonly change: Change;
}

const MOST_EDITS = 5000;

/**
 * The change as a unified diff; undefined when a file is not text, is too long, or is not in the archive under its
 * name.
 */
export async function readChange({ id, parcel, folder, change }: ChangePlace): Promise<string | undefined> {
  const { path } = change;
  const before = change.change === "added" ? "" : await currentText(id, path);
  const after = change.change === "removed" ? "" : await packedText(archiveOf(parcel), placeOf(folder, path));
  if (before === undefined || after === undefined) return undefined;
  return createTwoFilesPatch(path, path, before, after, undefined, undefined, { maxEditLength: MOST_EDITS });
}

async function currentText(id: string, path: string): Promise<string | undefined> {
  return await textOf(await call("GET /v1/skills/{id}/files/{path}", { params: { id, path } }));
}

/** One file of an archive as text. */
export async function packedText(archive: Blob | undefined, place: string): Promise<string | undefined> {
  if (archive === undefined) return undefined;
  const { files } = await listArchive(archive, {
    isWanted: (path) => path === place,
    fileBytes: SHOWN_BYTES,
    files: 1,
    // It was within the gateway's bounds when it was looked into.
    unpackedBytes: Number.POSITIVE_INFINITY,
  });
  const content = files.find(({ path }) => path === place)?.content;
  return content === undefined ? undefined : decodeText(content);
}

function placeOf(folder: string, path: string): string {
  return folder === "." ? path : `${folder}/${path}`;
}

async function textOf(blob: Blob): Promise<string | undefined> {
  return blob.size > SHOWN_BYTES ? undefined : decodeText(new Uint8Array(await blob.arrayBuffer()));
}
