import type { Viewer } from "@skillhold/core/library";
import { SkillError } from "@skillhold/protocol/error";
import type { AgentUse } from "@skillhold/registry/access";
import { didYouMean, suggest } from "@skillhold/skill/suggest";
import { type Env, present } from "../place/machine.ts";
import { userName } from "../place/user-name.ts";
import { type RegistryLayer, STORE_LABEL, type StoreChoice } from "../store/registry-layer.ts";

/** For whom a library is opened. */
export interface ViewerChoice {
  /** The agent runtime; by default the agent's own, or `skillhold-cli`. */
  readonly runtime?: string | readonly string[];
  readonly agent?: string;
  readonly user?: string;
  /** Limits the viewer to these ids. */
  readonly allow?: readonly string[];
  readonly as?: "model" | "user";
}

/** The runtime of a user at the command line. */
export const OWN_RUNTIME = "skillhold-cli";

/**
 * The viewer of a choice, with the manifest of its agent. The record of an agent in the store applies first; the choice
 * can only limit it further.
 */
export async function chooseViewer(
  choice: ViewerChoice & StoreChoice,
  env: Env,
  store: Pick<RegistryLayer, "context"> | undefined,
): Promise<AgentUse> {
  const { agent, runtime, as, allow } = choice;
  const user = choice.user ?? userName(env);
  const found =
    agent === undefined || store === undefined ? undefined : await findAgent(agent, user, choice, store);
  const recorded = found?.viewer;
  const viewer: Viewer = {
    runtime: runtime ?? recorded?.runtime ?? OWN_RUNTIME,
    invoker: as === "user" ? "user" : "model",
    user,
    ...present({
      agent: recorded?.agent ?? agent,
      allow: intersect(allow, recorded?.allow),
      pins: recorded?.pins,
    }),
  };
  return { viewer, ...present({ manifest: found?.manifest }) };
}

function intersect(given: Viewer["allow"], recorded: Viewer["allow"]): Viewer["allow"] {
  if (given === undefined || recorded === undefined) return given ?? recorded;
  return given.filter((id) => recorded.includes(id));
}

/**
 * The record of an agent. A default store without agents accepts any name; otherwise an unknown name is most
 * likely a typo and is rejected.
 */
async function findAgent(
  agent: string,
  user: string,
  { store, source = [] }: StoreChoice,
  { context }: Pick<RegistryLayer, "context">,
): Promise<AgentUse | undefined> {
  const { listAgents, agentFor } = await import("@skillhold/registry/access");
  try {
    return await agentFor(agent, user, context);
  } catch (error) {
    if (!(error instanceof SkillError) || error.code !== "AGENT_NOT_FOUND") throw error;
    const keys = (await listAgents(context)).map(({ key }) => key);
    const isNamed = typeof store === "string" || source.includes(STORE_LABEL);
    const isRemoved = (await context.store.findAgent(agent)) !== undefined;
    if (keys.length === 0 && !isNamed && !isRemoved) return undefined;
    throw new SkillError("AGENT_NOT_FOUND", error.message, {
      hint: didYouMean(suggest(agent, keys)) ?? error.hint,
      details: error.details,
      cause: error,
    });
  }
}
