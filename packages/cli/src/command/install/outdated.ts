import { type CheckedSkill, checkOutdated, type Installed, versionName } from "@skillhold/registry/install";
import type { CommandInput } from "../../command.ts";
import { defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { type InstallSession, withInstall } from "../../install/install-session.ts";
import { chooseInstalled, updateOptions } from "../../install/update-option.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";
import { formatTable } from "../../terminal/table.ts";
import { paintFor } from "../../terminal/text.ts";
import { ageOptions, remoteSourceOptions, targetOptions } from "./install-option.ts";

interface Row extends Omit<CheckedSkill, "latest"> {
  readonly id: string;
  readonly installed: string;
  readonly latest: string | undefined;
  readonly isEdited: boolean;
  readonly source: string;
}

const optionSpecs = [
  ...ageOptions,
  ...targetOptions,
  ...remoteSourceOptions,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [{ usage: "[ids...]", summary: "only these skills" }],
  options: optionSpecs,
  examples: ["outdated", "outdated --target project --json"],
  run,
});

/** Lists installed skills with what their sources have now. Exits 0 whatever is found. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { args, options, io } = input;
  return await withInstall(input, "read", async (session) => {
    const rows: Row[] = [];
    for (const installed of await chooseInstalled(args, session))
      rows.push(await checkRow(installed, { options }, session));
    keepRows(rows, args.length > 0, session);
    if (io.json) printData(io, { skills: rows });
    else if (rows.length === 0) io.err("No skill was installed from a source.\n");
    else {
      const paint = await paintFor(io.color);
      const cells = rows.map((row) =>
        [row.id, statusText(row), row.installed, row.latest ?? "", row.source].map((cell) => plain(cell)),
      );
      const columns = ["ID", "STATUS", "INSTALLED", "LATEST", "SOURCE"].map((title) => ({ title }));
      io.out(
        formatTable(columns, cells, { width: io.isOutTty ? io.columns : undefined, paintTitle: paint.bold }),
      );
    }
    return 0;
  });
}

/** Kept for `doctor`, which asks no source. */
function keepRows(rows: readonly Row[], isPart: boolean, { state, target, context }: InstallSession): void {
  const skills = rows.map(({ id, status, latest, until, error }) => [
    id,
    JSON.parse(JSON.stringify({ status, latest, until, error })),
  ]);
  const at = context.clock.now().toISOString();
  state.keepChecks(target.name, { at, skills: Object.fromEntries(skills) }, isPart);
}

function statusText({ status, isEdited, until, error }: Row): string {
  if (status === "failed") return `failed: ${error?.code ?? ""}`;
  const edited = isEdited ? ", edited" : "";
  return `${status}${until === undefined ? "" : ` until ${until.slice(0, 10)}`}${edited}`;
}

async function checkRow(
  installed: Installed,
  { options }: Pick<CommandInput, "options">,
  { context }: InstallSession,
): Promise<Row> {
  const { id, treeHash, installed: record } = installed;
  return {
    id,
    installed: versionName(record) ?? record.upstream.slice(0, 19),
    isEdited: treeHash !== record.upstream,
    source: record.spec,
    latest: undefined,
    ...(await checkOutdated(installed, updateOptions(options), context)),
  };
}
