import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { nodeHost } from "@skillhold/core/source";
import { bundledSkills, ioFailure, present } from "@skillhold/host/place";
import { STORE_LABEL } from "@skillhold/host/store";
import { SkillError } from "@skillhold/protocol/error";
import { viewerFor } from "@skillhold/registry/access";
import { openRegistryLibrary } from "@skillhold/registry/library";
import type { FoundSkill } from "@skillhold/registry/promotion";
import type { AgentRecord, RegistryContext, SkillAuthor } from "@skillhold/registry/record";
import type { CommandInput, OptionSpec } from "../../command.ts";
import { textOption } from "../../option.ts";
import { accessOptions, storeOption } from "../../shared-option.ts";
import type { OpenedRegistry } from "../../store.ts";
import { plain } from "../../terminal/output.ts";
import { endpointOptions, runnerNames, scriptOption } from "../check/eval-option.ts";

export const packetArgument = {
  usage: "<packet>",
  summary: "a JSON file with `promote_to_skill`, `repetition_signal` and a title or summary",
} as const;

/** Packets come from agents, so a draft with `claude` or `codex` needs the name of that runner. */
export const packetOptions = [
  { flags: "--agent <key>", summary: "the registered agent that repeated the workflow" },
  {
    flags: "--runner <name>",
    summary: "write the draft with this agent and the skill skill-authoring; by default from a template",
    choices: runnerNames,
  },
  { flags: "--model <name>", summary: "the model of the runner; alone, the runner is loop" },
  ...endpointOptions,
  scriptOption,
  ...accessOptions,
  storeOption,
] as const satisfies readonly OptionSpec[];

const LARGEST_PACKET = 1024 * 1024;

/** The text of the packet that the first argument names. */
export function readPacketFile({ args, io }: CommandInput): string {
  const [name = ""] = args;
  try {
    const fd = openSync(resolve(io.cwd, name), "r");
    try {
      if (fstatSync(fd).size <= LARGEST_PACKET) return readFileSync(fd, "utf8");
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw ioFailure(`${name} cannot be read`, error);
  }
  throw new SkillError("LIMIT_EXCEEDED", `${name} has more than ${LARGEST_PACKET} bytes.`);
}

/** The agent of `--agent`. An agent of another user gives the same error as a missing one, except for administrators. */
export async function getOwnAgent(
  { options }: CommandInput,
  { context, actor }: Pick<OpenedRegistry, "context" | "actor">,
): Promise<AgentRecord> {
  const key = textOption(options, "agent");
  if (key === undefined)
    throw new SkillError("USAGE", "--agent is required.", {
      hint: "List agents with `skillhold agent list`.",
    });
  const agent = await context.store.findAgent(key);
  const isOwn = agent?.owner === actor.user || actor.role === "admin";
  if (agent !== undefined && agent.removedAt === undefined && isOwn) return agent;
  throw new SkillError("AGENT_NOT_FOUND", `There is no agent ${key.slice(0, 80)}.`, {
    details: { key: key.slice(0, 80) },
  });
}

/** Searches the skills of the store that an agent sees. */
export async function withSearch<T>(
  { key }: AgentRecord,
  { io }: Pick<CommandInput, "io">,
  { context, copies }: OpenedRegistry,
  use: (search: (text: string) => Promise<readonly FoundSkill[]>) => Promise<T>,
): Promise<T> {
  const viewer = await viewerFor(key, undefined, context);
  const host = nodeHost({ env: io.env, platform: process.platform, cwd: io.cwd });
  const library = await openRegistryLibrary({ host, label: STORE_LABEL, copies }, context);
  try {
    return await use(async (text) => {
      const results = await library.search(viewer, text.slice(0, 1000), { limit: 5 });
      return results.map(({ entry: { id, name, description } }) => ({ id, name, description }));
    });
  } finally {
    await library.close();
  }
}

/** The context with the author of the options, if they name one. */
export async function withAuthor<T>(
  input: CommandInput,
  context: RegistryContext,
  use: (context: RegistryContext) => Promise<T>,
): Promise<T> {
  const { options, io } = input;
  if (textOption(options, "runner") === undefined && textOption(options, "model") === undefined)
    return await use(context);
  const [{ chooseRunner, trialSettings }, { withPlace }, { skillAuthor }] = await Promise.all([
    import("../../eval/eval-runner.ts"),
    import("../../eval/eval-target.ts"),
    import("@skillhold/eval"),
  ]);
  const runner = chooseRunner(input);
  const { limits, timers } = trialSettings(input);
  const onFailure = (message: string) =>
    io.err(`warning: the draft comes from the template: ${plain(message)}\n`);
  return await withPlace(io, async (place) => {
    const author: SkillAuthor = skillAuthor(
      { skills: bundledSkills(), place, limits, signal: io.signal },
      { runner, timers, onFailure },
    );
    return await use({ ...context, ...present({ author }) });
  });
}
