import type { Viewer } from "@skillhold/core/library";
import { type AgentManifest, readAgentManifest, viewerForAgent } from "@skillhold/core/session";
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
  return (await agentFor(agentKey, user, context)).viewer;
}

/** A viewer with the manifest of its agent. */
export interface AgentUse {
  readonly viewer: Viewer;
  readonly manifest?: AgentManifest;
}

/** Like `viewerFor`, with the manifest that the agent's sessions apply. */
export async function agentFor(
  agentKey: string | undefined,
  user: string | undefined,
  context: RegistryContext,
): Promise<AgentUse> {
  const named = user === undefined ? {} : { user };
  if (agentKey === undefined) return { viewer: { runtime: OWN_RUNTIME, ...named } };
  const agent = await getAgent(agentKey, context);
  const manifest = manifestOf(agent, context);
  const allow = limitOf(agent, manifest);
  const { key, runtime, pins } = agent;
  const viewer = { runtime, agent: key, ...named, ...(allow === undefined ? {} : { allow }), pins };
  return { viewer, ...(manifest === undefined ? {} : { manifest: { ...manifest, id: key } }) };
}

function manifestOf(
  { key, manifest: text }: AgentRecord,
  { limits }: RegistryContext,
): AgentManifest | undefined {
  if (text === undefined) return undefined;
  const { manifest } = readAgentManifest(text, limits);
  if (manifest !== undefined) return manifest;
  throw new SkillError("CONFIG_INVALID", `The manifest of the agent ${key} cannot be read.`, {
    hint: "Correct the agent's manifest.",
    details: { key },
  });
}

function limitOf({ allow }: AgentRecord, manifest: AgentManifest | undefined): readonly string[] | undefined {
  const own = manifest === undefined ? undefined : viewerForAgent(manifest).allow;
  return own === undefined || allow === undefined ? (own ?? allow) : own.filter((id) => allow.includes(id));
}
