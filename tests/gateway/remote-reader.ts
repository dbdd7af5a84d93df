import { randomUUID } from "node:crypto";
import { nodeHost } from "@skillhold/core/source";
import { openRemoteLibrary } from "@skillhold/registry/remote";

/** Another process that reads every file of a gateway through a shared cache. */
const [url = "", token = "", cache = ""] = process.argv.slice(2);
const host = nodeHost({ env: {}, platform: "linux", cwd: "/" });
const library = await openRemoteLibrary({ url, token, cache }, { host, ids: { next: randomUUID } });
const viewer = { runtime: "test" };
const read: string[] = [];
for (const { id } of await library.list(viewer))
  for (const { path } of await library.files(viewer, id))
    read.push(`${id} ${path} ${(await library.resource(viewer, id, path)).content}`);
await library.close();
process.stdout.write(JSON.stringify(read));
