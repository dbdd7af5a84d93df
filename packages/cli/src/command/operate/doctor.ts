import type { SearchState } from "@skillhold/core/semantic";
import { nodeHost } from "@skillhold/core/source";
import { neutralText } from "@skillhold/core/text";
import { checkRuntimes, rememberRuntimes } from "@skillhold/deps/environment";
import { cacheFile } from "@skillhold/host/place";
import { chooseSandbox } from "@skillhold/host/run";
import { isRemote } from "@skillhold/host/source";
import type { SkillError } from "@skillhold/protocol/error";
import { type CommandInput, defineCommand, type OptionsOf } from "../../command.ts";
import { surveyAll, withSurvey } from "../../dependency-survey.ts";
import { checkCache } from "../../doctor/cache-check.ts";
import type { Check } from "../../doctor/check.ts";
import { checkInterpreters, checkSurveys } from "../../doctor/dependency-check.ts";
import { checkLinks } from "../../doctor/link-check.ts";
import { checkServable } from "../../doctor/mcp-check.ts";
import { checkNode, findPinnedNode } from "../../doctor/node-check.ts";
import { checkPrograms } from "../../doctor/program-check.ts";
import { checkSandbox } from "../../doctor/sandbox-check.ts";
import { checkSearch } from "../../doctor/search-check.ts";
import { checkInvalid, checkReadiness, checkShadowed } from "../../doctor/skill-check.ts";
import { checkSources } from "../../doctor/source-check.ts";
import { checkStore } from "../../doctor/store-check.ts";
import { layOutStored } from "../../lay-out.ts";
import { storeFlags } from "../../library-choice.ts";
import { type Opened, withLibrary } from "../../open.ts";
import { libraryOptions } from "../../shared-option.ts";
import { type ExitCode, type Io, printData } from "../../terminal/output.ts";
import { paintFor } from "../../terminal/text.ts";

export const command = defineCommand({
  arguments: [],
  options: libraryOptions,
  examples: ["doctor", "doctor --root ./skills --json"],
  run,
});

/** Looks at everything that can keep a skill from working, and says what to do about it. */
async function run(input: CommandInput<OptionsOf<typeof libraryOptions>>): Promise<ExitCode> {
  const { io, options } = input;
  let failure: SkillError | undefined;
  const onStoreFailure = (error: SkillError) => {
    failure = error;
  };
  const checks = await withLibrary(
    input,
    async (opened) => [
      ...(await checkAll(opened, options["cache"] !== false, input)),
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
  const view = knownView(opened);
  const local = view.entries.filter((entry) => !isRemote(entry));
  const skills = local.map(({ id, path }) => ({
    id,
    path,
    folder: path,
    rootFlags: opened.rootFlags,
  }));
  await layOutStored(opened, view.entries, io);
  const { env, signal } = io;
  const runtimes = { env, signal, platform: process.platform, findRuntime: rememberRuntimes() };
  return [
    ...checkNode(process, findPinnedNode(process)),
    ...checkSources(opened, io),
    ...(await checkMcp(opened)),
    checkInvalid({ invalid: view.invalid.filter((each) => !isRemote(each)) }, io, opened.rootFlags),
    checkShadowed(view, io),
    checkReadiness(view.entries),
    await checkLinks(local, io.signal),
    await checkServable(opened),
    checkCache(cacheFile(io.env), isCacheOn, io),
    checkSearch(await searchState(opened)),
    await checkSandbox(chooseSandbox(io)),
    checkInterpreters(await checkRuntimes(runtimes)),
    checkSurveys(await withSurvey(input, (ports) => surveyAll(skills, io, ports)), opened.rootFlags),
    ...checkPrograms(nodeHost({ env: io.env, platform: process.platform, cwd: io.cwd })),
  ];
}

/** One query, which brings the index up to date and shows whether the models answer. */
async function searchState({ library, viewer, search }: Opened): Promise<SearchState | undefined> {
  if (search === undefined) return undefined;
  await library.search(viewer, "check", { limit: 2 });
  return search.state();
}

/** What speaks with servers is loaded only where there are some. */
async function checkMcp({ mcp }: Opened): Promise<readonly Check[]> {
  if (mcp.length === 0) return [];
  const { checkServers } = await import("../../doctor/mcp-source-check.ts");
  return checkServers(mcp);
}

/** What is others' in a store is theirs to look after. */
function knownView({ inspect, isKnown }: Opened): KnownView {
  const { entries, invalid, shadowed } = inspect().view;
  return {
    entries: entries.filter(isKnown),
    invalid: invalid.filter(isKnown),
    shadowed: shadowed.filter(isKnown),
  };
}

type KnownView = Pick<ReturnType<Opened["inspect"]>["view"], "entries" | "invalid" | "shadowed">;

/** A long list of cases would push the other checks off the screen. */
const SHOWN_DETAILS = 5;

async function printChecks(io: Io, checks: readonly Check[]): Promise<void> {
  const paint = await paintFor(io.color);
  const marks = { ok: paint.green("ok  "), warn: paint.yellow("warn"), fail: paint.red("fail") };
  for (const { name, status, message, fix, details } of checks) {
    io.out(`${marks[status]} ${paint.bold(neutralText(name))}: ${neutralText(message)}\n`);
    for (const detail of details.slice(0, SHOWN_DETAILS)) io.out(`       ${neutralText(detail)}\n`);
    const left = details.length - SHOWN_DETAILS;
    if (left > 0) io.out(`       ${paint.dim(`… and ${left} more; --json lists all`)}\n`);
    if (fix !== null) io.out(`     ${paint.cyan("fix:")} ${neutralText(fix)}\n`);
  }
  const counts = (["ok", "warn", "fail"] as const).map(
    (status) => `${checks.filter((check) => check.status === status).length} ${status}`,
  );
  io.err(`${counts.join(", ")}\n`);
}
