import { nodeHost } from "@skillhold/core/source";
import { labelOf, openMcpLayers, readSources, showServer } from "@skillhold/host/source";
import { type McpLibrary, refusalOf, type VerifiedSkill } from "@skillhold/mcp/host";
import { errorTable } from "@skillhold/protocol/error";
import { defaultLimits } from "@skillhold/protocol/limits";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { labelArgument } from "../../shared-option.ts";
import { type ExitCode, type Io, plain, printData } from "../../terminal/output.ts";
import { count, formatSize, paintFor } from "../../terminal/text.ts";
import { getSource } from "./mcp-source-argument.ts";

const optionSpecs = [] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [labelArgument],
  options: optionSpecs,
  examples: ["source test acme"],
  run,
});

/** Fetches every listed skill of a server and verifies it against its listing. */
async function run({ io, args }: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const settings = getSource(await readSources(io.env), args[0] ?? "");
  if (!io.json) io.err(`Connecting to ${labelOf(settings.label)} (${plain(showServer(settings))}).\n`);
  const host = nodeHost({ env: io.env, platform: process.platform, cwd: io.cwd });
  const [layer] = await openMcpLayers([settings], io, { host, limits: defaultLimits, isCached: false });
  if (layer === undefined) return 0;
  try {
    return await report(layer.library, io);
  } finally {
    await layer.library.close();
  }
}

async function report(library: McpLibrary, io: Io): Promise<ExitCode> {
  const { source, problem, refused } = library.state();
  if (problem !== undefined) throw problem;
  const verified: VerifiedSkill[] = [];
  for await (const skill of library.verify()) {
    io.signal.throwIfAborted();
    verified.push(skill);
  }
  const refusals = refused.map(({ id, path, diagnostics }) => ({ id, uri: path, diagnostics }));
  if (io.json) printData(io, { source, skills: verified.map(toJson), refused: refusals });
  else await print(io, verified, refusals);
  if (verified.some(({ problem }) => problem !== undefined)) return errorTable.INTEGRITY_FAILED.exit;
  return refusals.length > 0 ? errorTable.SKILL_INVALID.exit : 0;
}

function toJson({ problem, ...skill }: VerifiedSkill) {
  if (problem === undefined) return { ...skill, problem: null };
  const { code, message, hint } = problem;
  return { ...skill, problem: { code: refusalOf(problem) ?? code, message, hint } };
}

type Refusal = Pick<ReturnType<McpLibrary["state"]>["refused"][number], "id" | "diagnostics"> & {
  readonly uri: string;
};

async function print(io: Io, verified: readonly VerifiedSkill[], refused: readonly Refusal[]): Promise<void> {
  const paint = await paintFor(io.color);
  for (const { id, uri, files, bytes, problem } of verified) {
    const what = `${plain(id)} ${paint.dim(`(${plain(uri)})`)}`;
    if (problem === undefined)
      io.out(`${paint.green("ok")}      ${what} ${count(files, "file")}, ${formatSize(bytes)}\n`);
    else
      io.out(
        `${paint.red("fail")}    ${what}\n        ${refusalOf(problem) ?? problem.code} ${plain(problem.message)}\n`,
      );
  }
  for (const { id, uri, diagnostics } of refused) {
    io.out(`${paint.yellow("refused")} ${plain(id)} ${paint.dim(`(${plain(uri)})`)}\n`);
    for (const { code, message, fix } of diagnostics)
      io.out(`        ${code} ${plain(message)}\n        ${paint.dim(`fix: ${plain(fix)}`)}\n`);
  }
  const bad = verified.filter(({ problem }) => problem !== undefined).length;
  io.err(`${count(verified.length - bad, "skill")} verified, ${bad} failed, ${refused.length} refused\n`);
}
