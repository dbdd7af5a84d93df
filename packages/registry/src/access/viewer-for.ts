import type { Viewer } from "@skillhold/core/library";
import { readAgentManifest, viewerForAgent } from "@skillhold/core/session";
import { SkillError } from "@skillhold/protocol/error";
import type { AgentRecord } from "../record/agent.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import { getAgent } from "./agents.ts";

/** The runtime of a viewer without an agent. */
const OWN_RUNTIME = "skillhold";

/**
 * The viewer for a registered agent, on behalf of a user, or for a user alone. The agent's list and its
 * manifest both limit it. Throws AGENT_NOT_FOUND for an unknown or removed agent.
 */
export async function viewerFor(
  agentKey: string | undefined,
  user: string | undefined,
  context: RegistryContext,
): Promise<Viewer> {
  const named = user === undefined ? {} : { user };
  if (agentKey === undefined) return { runtime: OWN_RUNTIME, ...named };
  const agent = await getAgent(agentKey, context);
  const allow = limitOf(agent, context);
  const { key, runtime, pins } = agent;
  return { runtime, agent: key, ...named, ...(allow === undefined ? {} : { allow }), pins };
}

function limitOf(
  { key, allow, manifest: text }: AgentRecord,
  { limits }: RegistryContext,
): readonly string[] | undefined {
  if (text === undefined) return allow;
  const { manifest } = readAgentManifest(text, limits);
  if (manifest === undefined)
    throw new SkillError("CONFIG_INVALID", `The manifest of the agent ${key} cannot be read.`, {
      hint: "Correct the agent's manifest.",
      details: { key },
    });
  const own = viewerForAgent(manifest).allow;
  return own === undefined || allow === undefined ? (own ?? allow) : own.filter((id) => allow.includes(id));
}
