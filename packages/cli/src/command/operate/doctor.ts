import type { SearchState } from "@skillhold/core/semantic";
import { nodeHost } from "@skillhold/core/source";
import { neutralText } from "@skillhold/core/text";
import { cacheRuntimes, checkRuntimes } from "@skillhold/deps/environment";
import { cacheFile } from "@skillhold/host/place";
import { chooseSandbox } from "@skillhold/host/run";
import { isRemote } from "@skillhold/host/source";
import type { SkillError } from "@skillhold/protocol/error";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { surveyAll, withSurvey } from "../../dependency-survey.ts";
import type { Check } from "../../doctor/check.ts";
import { checkGuard, checkSigners, checkUpdates } from "../../doctor/install-check.ts";
import {
  checkCache,
  checkNode,
  checkPrograms,
  checkSandbox,
  findPinnedNode,
} from "../../doctor/machine-check.ts";
import { checkSearch } from "../../doctor/search-check.ts";
import {
  checkInterpreters,
  checkInvalid,
  checkLinks,
  checkLoading,
  checkReadiness,
  checkServable,
  checkShadowed,
  checkSurveys,
} from "../../doctor/skill-check.ts";
import { checkAuditLog, checkServers, checkSources, checkStore } from "../../doctor/source-check.ts";
import { checkWebhooks } from "../../doctor/webhook-check.ts";
import { checkWorkspaces } from "../../doctor/workspace-check.ts";
import { type Opened, withLibrary } from "../../open.ts";
import { textOption } from "../../option.ts";
import { libraryOptions } from "../../shared-option.ts";
import { layOutStored } from "../../skill-selection.ts";
import { storeFlags } from "../../terminal/hint.ts";
import { type ExitCode, type Io, printData } from "../../terminal/output.ts";
import { paintFor } from "../../terminal/text.ts";

const optionSpecs = [
  ...libraryOptions,
  {
    flags: "--workspaces <folder>",
    summary: "also check the workspaces in this folder, as `serve` hosts them",
  },
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [],
  options: optionSpecs,
  examples: ["doctor", "doctor --root ./skills --json"],
  run,
});

/** Checks everything that can keep a skill from working, and prints fixes. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  let failure: SkillError | undefined;
  const onStoreFailure = (error: SkillError) => {
    failure = error;
  };
  const checks = await withLibrary(
    input,
    async (opened) => [
      ...(await checkAll(opened, options["cache"] !== false, input)),
      await checkWorkspaces(textOption(options, "workspaces"), opened.store, io),
      checkStore(failure ?? opened.store, storeFlags(options)),
    ],
    { onStoreFailure, reportsServers: true, usesModels: true },
  );
  if (io.json) printData(io, { checks });
  else await printChecks(io, checks);
  return checks.some(({ status }) => status === "fail") ? 1 : 0;
}

async function checkAll(opened: Opened, isCacheOn: boolean, input: CommandInput): Promise<readonly Check[]> {
  const { io } = input;
  const view = disclosedView(opened);
  const local = view.entries.filter((entry) => !isRemote(entry));
  const skills = local.map(({ id, path }) => ({
    id,
    path,
    folder: path,
    rootFlags: opened.rootFlags,
  }));
  await layOutStored(opened, view.entries, io);
  const { env, signal } = io;
  const runtimes = { env, signal, platform: process.platform, findRuntime: cacheRuntimes() };
  return [
    ...checkNode(process, findPinnedNode(process)),
    ...checkSources(opened, io),
    ...(await checkServers(opened.mcp)),
    checkInvalid({ invalid: view.invalid.filter((each) => !isRemote(each)) }, io, opened.rootFlags),
    checkShadowed(view, io),
    checkReadiness(view.entries),
    checkLoading(view.entries, opened.viewer),
    await checkLinks(local, io.signal),
    await checkServable(opened),
    checkCache(cacheFile(io.env), isCacheOn, io),
    checkSearch(await searchState(opened)),
    await checkSandbox(chooseSandbox(io)),
    checkInterpreters(await checkRuntimes(runtimes)),
    checkSurveys(await withSurvey(input, (ports) => surveyAll(skills, io, ports)), opened.rootFlags),
    checkUpdates(io),
    await checkSigners(io),
    await checkGuard(opened.store, io),
    ...(opened.store === undefined ? [] : await checkWebhooks(opened.store.context.store, io)),
    ...(await checkAuditLog(opened.store)),
    ...checkPrograms(nodeHost({ env: io.env, platform: process.platform, cwd: io.cwd })),
  ];
}

/** One query, which brings the index up to date and shows whether the models answer. */
async function searchState({ library, viewer, search }: Opened): Promise<SearchState | undefined> {
  if (search === undefined) return undefined;
  await library.search(viewer, "check", { limit: 2 });
  return search.state();
}

/** The view without skills of the store that the user may not see. */
function disclosedView({ inspect, isDisclosed }: Opened): DisclosedView {
  const { entries, invalid, shadowed } = inspect().view;
  return {
    entries: entries.filter(isDisclosed),
    invalid: invalid.filter(isDisclosed),
    shadowed: shadowed.filter(isDisclosed),
  };
}

type DisclosedView = Pick<ReturnType<Opened["inspect"]>["view"], "entries" | "invalid" | "shadowed">;

/** A longer list would push the other checks off the screen. */
const SHOWN_DETAILS = 5;

async function printChecks(io: Io, checks: readonly Check[]): Promise<void> {
  const paint = await paintFor(io.color);
  const marks = { ok: paint.green("ok  "), warn: paint.yellow("warn"), fail: paint.red("fail") };
  for (const { name, status, message, fix, details } of checks) {
    io.out(`${marks[status]} ${paint.bold(neutralText(name))}: ${io.hint(neutralText(message))}\n`);
    for (const detail of details.slice(0, SHOWN_DETAILS)) io.out(`       ${io.hint(neutralText(detail))}\n`);
    const left = details.length - SHOWN_DETAILS;
    if (left > 0) io.out(`       ${paint.dim(`… and ${left} more; --json lists all`)}\n`);
    if (fix !== null) io.out(`     ${paint.cyan("fix:")} ${io.hint(neutralText(fix))}\n`);
  }
  const counts = (["ok", "warn", "fail"] as const).map(
    (status) => `${checks.filter((check) => check.status === status).length} ${status}`,
  );
  io.err(`${counts.join(", ")}\n`);
}
