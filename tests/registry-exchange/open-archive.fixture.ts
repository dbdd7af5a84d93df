import { archiveInMemory, unpack } from "@skillhold/core/archive";

/** The files of an archive as text, by path. */
export async function openArchive(archive: Uint8Array): Promise<Map<string, string>> {
  const { tree } = await unpack(archiveInMemory(archive));
  return new Map([...tree.files()].map(({ path, bytes }) => [path, new TextDecoder().decode(bytes)]));
}
