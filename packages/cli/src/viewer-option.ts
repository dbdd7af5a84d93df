import type { Viewer } from "@skillhold/core/library";
import { didYouMean, suggest } from "@skillhold/core/session";
import { SkillError } from "@skillhold/protocol/error";
import { listOption, present, textOption } from "./option.ts";
import type { Io } from "./output.ts";
import type { CommandInput } from "./program.ts";
import { type RegistryLayer, STORE_LABEL } from "./registry-layer.ts";
import { userName } from "./store-address.ts";

type Options = CommandInput["options"];

/** The runtime of someone who looks through the command line. */
export const OWN_RUNTIME = "skillhold-cli";

/**
 * Who looks, by the common options. An agent that the store has on record is shown what its record says; what else the
 * options say limits it further.
 */
export async function readViewer(
  options: Options,
  { env }: Pick<Io, "env">,
  store: Pick<RegistryLayer, "context"> | undefined,
): Promise<Viewer> {
  const user = textOption(options, "user") ?? userName(env);
  const agent = textOption(options, "agent");
  const recorded =
    agent === undefined || store === undefined ? undefined : await findRecorded(agent, user, options, store);
  return {
    runtime: textOption(options, "runtime") ?? recorded?.runtime ?? OWN_RUNTIME,
    invoker: textOption(options, "as") === "user" ? "user" : "model",
    user,
    ...present({
      agent: recorded?.agent ?? agent,
      allow: both(readIds(textOption(options, "allow")), recorded?.allow),
      pins: recorded?.pins,
    }),
  };
}

/** Ids with commas between; empty for none. */
export function readIds(text: string | undefined): readonly string[] | undefined {
  return text
    ?.split(",")
    .map((id) => id.trim())
    .filter((id) => id !== "");
}

function both(given: Viewer["allow"], recorded: Viewer["allow"]): Viewer["allow"] {
  if (given === undefined || recorded === undefined) return given ?? recorded;
  return given.filter((id) => recorded.includes(id));
}

/**
 * The agent as its record has it. In a store that was not asked for, and that has no agents, an agent is a mere name;
 * else one that is not there is most likely a misspelling, and would be shown what nobody gave it.
 */
async function findRecorded(
  agent: string,
  user: string,
  options: Options,
  { context }: Pick<RegistryLayer, "context">,
): Promise<Viewer | undefined> {
  const { viewerFor, listAgents } = await import("@skillhold/registry");
  try {
    return await viewerFor(agent, user, context);
  } catch (error) {
    if (!(error instanceof SkillError) || error.code !== "AGENT_NOT_FOUND") throw error;
    const keys = (await listAgents(context)).map(({ key }) => key);
    const isNamed =
      typeof options["store"] === "string" || listOption(options, "source").includes(STORE_LABEL);
    const isRemoved = (await context.store.findAgent(agent)) !== undefined;
    if (keys.length === 0 && !isNamed && !isRemoved) return undefined;
    throw new SkillError("AGENT_NOT_FOUND", error.message, {
      hint: didYouMean(suggest(agent, keys)) ?? error.hint,
      details: error.details,
      cause: error,
    });
  }
}
