import { type Library, openLayeredLibrary, openMemoryLibrary } from "@skillhold/core/library";
import { type LibraryMaker, libraryContract } from "@skillhold/core/test/library/library.contract";
import type { RemoteLibrary } from "@skillhold/registry/remote";
import { afterAll } from "vitest";
import { host, openRemote, type ServedGateway, serveGateway } from "./remote.fixture.ts";

const open: ServedGateway[] = [];
afterAll(async () => {
  for (const served of open) await served.close();
});

libraryContract("a gateway, elsewhere", () => remoteMaker((remote) => remote));
libraryContract(
  "a gateway as a layer",
  () => remoteMaker((remote) => openLayeredLibrary([openMemoryLibrary([], { host }), remote]), true),
  { hasSearchedBodies: false, hasInvalidCandidates: false },
);

/** The gateway serves skills from memory, so they may be invalid or disabled, and an administrator sees them. */
function remoteMaker(use: (remote: RemoteLibrary) => Library, isOptional = false): LibraryMaker {
  let skills: ReturnType<typeof openMemoryLibrary> | undefined;
  return {
    open: async (given, settings = {}) => {
      skills = openMemoryLibrary(given, { host, settings });
      const served = await serveGateway({ library: skills });
      open.push(served);
      return use(await openRemote(served.url, await served.tokenOf("admin"), { isOptional }));
    },
    replace: async (library, given) => {
      let stop = () => {};
      const told = new Promise<void>((resolve) => {
        stop = library.onChange(() => resolve());
      });
      await library.list({ runtime: "test" });
      skills?.replace(given);
      await told;
      stop();
    },
  };
}
