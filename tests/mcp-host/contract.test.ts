import { nodeHost } from "@skillhold/core/source";
import {
  type ContractSkill,
  type LibraryMaker,
  libraryContract,
} from "@skillhold/core/test/library/library.contract";
import { openMcpLibrary } from "@skillhold/mcp/host";
import { parseSkill } from "@skillhold/skill";
import { afterAll } from "vitest";
import { entryOf, type FileMap, honest, type RunningServer, serveHttp } from "./skill-server.ts";

const servers: RunningServer[] = [];
afterAll(async () => {
  for (const server of servers) await server.close();
});

libraryContract("an MCP server", () => mcpMaker(), { hasSearchedBodies: false });

function mcpMaker(): LibraryMaker {
  let skills: Readonly<Record<string, FileMap>> = {};
  let server: RunningServer | undefined;
  const serve = (given: readonly ContractSkill[]) => {
    skills = Object.fromEntries(given.map(({ folder, files }) => [folder, files]));
  };
  return {
    open: async (given, settings = {}) => {
      serve(given);
      server = await serveHttp(honest(() => skills, entries));
      servers.push(server);
      const host = nodeHost({ env: {}, platform: "linux", cwd: "/" });
      const source = { label: "test", server: { url: server.url } };
      return await openMcpLibrary(source, { host, settings, clock: { now: () => new Date() } });
    },
    replace: async (library, given) => {
      const changed = new Promise((resolve) => library.onChange(resolve));
      serve(given);
      server?.changed();
      await changed;
    },
  };
}

/** With the frontmatter of the files. */
function entries(skills: Readonly<Record<string, FileMap>>) {
  return Object.entries(skills).map(([name, files]) => {
    const { frontmatter } = parseSkill(files["SKILL.md"] ?? "");
    return entryOf(name, files, { ...frontmatter });
  });
}
