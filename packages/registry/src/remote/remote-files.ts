import { type GatewayFileCache, isFile } from "./file-cache.ts";
import type { GatewayClient } from "./gateway-client.ts";
import { integrityFailed } from "./remote-failure.ts";
import type { RemoteFile, RemoteTree } from "./remote-tree.ts";
import type { ViewerQuery } from "./viewer-query.ts";

/** The files of a skill, requested for a viewer. */
export interface FileRequest {
  readonly id: string;
  readonly tree: RemoteTree;
  readonly viewer: ViewerQuery;
}

/** How many files are fetched at a time. */
const AT_ONCE = 8;

/** Reads files from the cache or the gateway, and returns only bytes that match the listed digest. */
export class RemoteFileReader {
  readonly #client: GatewayClient;
  readonly #cache: GatewayFileCache;

  constructor(client: GatewayClient, cache: GatewayFileCache) {
    this.#client = client;
    this.#cache = cache;
  }

  async read({ id, tree, viewer }: FileRequest, file: RemoteFile): Promise<Uint8Array> {
    const kept = await this.#cache.find(file);
    if (kept !== undefined) return kept;
    const revision = tree.revision === undefined ? {} : { revision: String(tree.revision) };
    const input = { params: { id, path: file.path }, query: { ...viewer, ...revision } };
    const bytes = await this.#client.bytes("readFile", input, file.size);
    if (!isFile(bytes, file))
      throw integrityFailed(`${file.path} of ${id} does not match the digest that the gateway lists.`, {
        id,
        path: file.path,
      });
    await this.#cache.keep(file, bytes);
    return bytes;
  }

  /** All files of a skill, in list order. */
  async readAll(wanted: FileRequest): Promise<readonly (readonly [RemoteFile, Uint8Array])[]> {
    const { files } = wanted.tree;
    const read: (readonly [RemoteFile, Uint8Array])[] = [];
    for (let at = 0; at < files.length; at += AT_ONCE) {
      const some = files.slice(at, at + AT_ONCE);
      read.push(
        ...(await Promise.all(some.map(async (file) => [file, await this.read(wanted, file)] as const))),
      );
    }
    return read;
  }
}
