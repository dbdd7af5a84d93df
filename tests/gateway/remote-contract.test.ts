import { openMemoryLibrary } from "@skillhold/core/library";
import { type LibraryMaker, libraryContract } from "@skillhold/core/test/library/library.contract";
import { afterAll } from "vitest";
import { host, openRemote, type ServedGateway, serveGateway } from "./remote.fixture.ts";

const open: ServedGateway[] = [];
afterAll(async () => {
  for (const served of open) await served.close();
});

libraryContract("a gateway, elsewhere", () => remoteMaker());

/** The gateway serves skills from memory, so they may be invalid or disabled, and an administrator sees them. */
function remoteMaker(): LibraryMaker {
  let skills: ReturnType<typeof openMemoryLibrary> | undefined;
  return {
    open: async (given, settings = {}) => {
      skills = openMemoryLibrary(given, { host, settings });
      const served = await serveGateway({ library: skills });
      open.push(served);
      return await openRemote(served.url, await served.tokenOf("admin"));
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
