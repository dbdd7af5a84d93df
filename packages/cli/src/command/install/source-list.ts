import { neutralText } from "@skillhold/core/text";
import { shortPath } from "@skillhold/host/place";
import { labelOf, type McpLayer, readSources, showServer } from "@skillhold/host/source";
import { STORE_LABEL } from "@skillhold/host/store";
import { refusalOf } from "@skillhold/mcp/host";
import { type CommandInput, defineCommand, type OptionsOf } from "../../command.ts";
import { type Opened, withLibrary } from "../../open.ts";
import { sourceOptions } from "../../shared-option.ts";
import { type ExitCode, type Io, printData } from "../../terminal/output.ts";
import { formatTable } from "../../terminal/table.ts";
import { paintFor } from "../../terminal/text.ts";

/** One source of skills: a folder, the store or an MCP server. */
interface SourceRow {
  readonly label: string;
  readonly kind: string;
  readonly trust: string;
  /** `down` when a server does not answer; `not asked` when it was left out. */
  readonly state: "live" | "down" | "not asked";
  readonly skills: number | null;
  /** How many of its skills cannot be used. */
  readonly refused: number;
  readonly where: string;
  readonly problem: { readonly code: string; readonly message: string; readonly hint: string } | null;
}

export const command = defineCommand({
  arguments: [],
  options: sourceOptions,
  examples: ["source list", "source list --no-mcp"],
  run,
});

/** Prints the sources and their state, highest precedence first. */
async function run(input: CommandInput<OptionsOf<typeof sourceOptions>>): Promise<ExitCode> {
  const { io } = input;
  return await withLibrary<ExitCode>(
    input,
    async (opened) => {
      const sources = [...folderRows(opened, io), ...storeRows(opened), ...(await serverRows(opened, io))];
      if (io.json) printData(io, { sources });
      else await print(io, sources);
      return 0;
    },
    { reportsServers: true },
  );
}

function folderRows({ inspect }: Opened, io: Io): readonly SourceRow[] {
  const { sources, view } = inspect();
  return sources.map(({ source: { label, kind, trust, root }, skills }) => ({
    label,
    kind,
    trust,
    state: "live",
    skills,
    refused: view.invalid.filter((each) => each.source === label).length,
    where: shortPath(io, root),
    problem: null,
  }));
}

function storeRows({ store }: Opened): readonly SourceRow[] {
  if (store === undefined) return [];
  const { entries, invalid } = store.library.view();
  return [
    {
      label: STORE_LABEL,
      kind: store.engine,
      trust: "of each skill",
      state: "live",
      skills: entries.length,
      refused: invalid.length,
      where: store.address,
      problem: null,
    },
  ];
}

/** Includes the servers that were left out. */
async function serverRows({ mcp }: Opened, io: Io): Promise<readonly SourceRow[]> {
  const requested = new Map(mcp.map((layer) => [layer.settings.label, layer]));
  return (await readSources(io.env)).map((settings) => {
    const layer = requested.get(settings.label);
    const about = {
      label: labelOf(settings.label),
      kind: "mcp",
      trust: "third_party",
      where: showServer(settings),
    };
    return layer === undefined
      ? { ...about, state: "not asked", skills: null, refused: 0, problem: null }
      : { ...about, ...stateOf(layer) };
  });
}

function stateOf({ library }: McpLayer): Pick<SourceRow, "state" | "skills" | "refused" | "problem"> {
  const { problem, skills, refused } = library.state();
  if (problem === undefined) return { state: "live", skills, refused: refused.length, problem: null };
  const { code, message, hint } = problem;
  return {
    state: "down",
    skills: 0,
    refused: 0,
    problem: { code: refusalOf(problem) ?? code, message, hint },
  };
}

const columns = [
  { title: "SOURCE", most: 36 },
  { title: "KIND" },
  { title: "TRUST" },
  { title: "STATE" },
  { title: "SKILLS" },
  { title: "WHERE" },
];

async function print(io: Io, sources: readonly SourceRow[]): Promise<void> {
  if (sources.length === 0) {
    io.err("No sources. Run `skillhold source add mcp <label>` to add a server.\n");
    return;
  }
  const paint = await paintFor(io.color);
  const rows = sources.map(({ label, kind, trust, state, skills, refused, where }) => {
    const number = `${skills ?? "-"}${refused === 0 ? "" : ` (${refused} refused)`}`;
    return [label, kind, trust, state, number, where].map((cell) => neutralText(cell));
  });
  io.out(formatTable(columns, rows, { width: io.isOutTty ? io.columns : undefined, paintTitle: paint.dim }));
  for (const { label, problem } of sources) {
    if (problem === null) continue;
    io.err(`${neutralText(label)}: ${neutralText(problem.message)}\n  hint: ${neutralText(problem.hint)}\n`);
  }
}
