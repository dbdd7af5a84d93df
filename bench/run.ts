import { benchAdapter } from "./adapter.ts";
import { benchArchive } from "./archive.ts";
import { benchAudit } from "./audit.ts";
import { benchCatalogue } from "./catalogue.ts";
import { benchConsole } from "./console.ts";
import { benchDeps } from "./deps.ts";
import { benchEval } from "./eval.ts";
import { benchGateway } from "./gateway.ts";
import { benchGuard } from "./guard.ts";
import { benchInstall } from "./install.ts";
import { benchLibrary } from "./library.ts";
import { benchMcp } from "./mcp.ts";
import { benchMcpChange } from "./mcp-change.ts";
import { benchParse } from "./parse.ts";
import { benchPeers } from "./peer.ts";
import { benchRegistry } from "./registry.ts";
import { writeReport } from "./report.ts";
import { benchSandbox } from "./sandbox.ts";
import { benchScale } from "./scale.ts";
import { benchSearch } from "./search.ts";
import { benchSearchSpeed } from "./search-speed.ts";
import { benchSizing } from "./sizing.ts";
import { benchStart } from "./start.ts";
import { benchTreeHash } from "./tree-hash.ts";
import { benchViewChange } from "./view-change.ts";
import { benchWorkspace } from "./workspace.ts";

/** Usage: npm run bench [-- <name> [<sizes…> | <options…>]]. Without a name, all of them; sizes are numbers of skills. `--report [--corpus <folder>]` writes docs/benchmarks.md. */
const benches: Readonly<
  Record<string, (sizes: readonly number[], args: readonly string[]) => void | Promise<void>>
> = {
  parse: benchParse,
  "tree-hash": benchTreeHash,
  start: benchStart,
  sizing: (sizes) => benchSizing(sizes.length > 0 ? sizes : [1000, 10_000]),
  library: (_, args) => benchLibrary(args),
  peers: (_, args) => benchPeers(args),
  catalogue: benchCatalogue,
  search: (_, args) => benchSearch(args),
  archive: benchArchive,
  audit: benchAudit,
  adapter: benchAdapter,
  sandbox: benchSandbox,
  deps: benchDeps,
  eval: benchEval,
  guard: benchGuard,
  console: (sizes) => benchConsole(sizes),
  gateway: benchGateway,
  "view-change": (sizes) => benchViewChange(sizes.length > 0 ? sizes : [1000, 20_000]),
  mcp: benchMcp,
  "mcp-change": benchMcpChange,
  install: benchInstall,
  workspace: benchWorkspace,
  registry: (sizes) => benchRegistry(sizes.length > 0 ? sizes : [1000, 10_000]),
  scale: (sizes, args) => benchScale(sizes.length > 0 ? sizes : [1000, 20_000], args),
  "search-speed": (sizes) => benchSearchSpeed(sizes.length > 0 ? sizes : [1000, 10_000]),
};

const [name, ...sizes] = process.argv.slice(2);
if (name === "--report") await writeReport(sizes);
else if (name !== undefined && benches[name] === undefined) {
  console.error(`There is no benchmark ${name}; there are ${Object.keys(benches).join(", ")}.`);
  process.exitCode = 2;
}
for (const [each, bench] of Object.entries(benches))
  if (name === undefined || name === each) await bench(sizes.map(Number), sizes);
