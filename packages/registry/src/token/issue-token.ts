import type { Actor, Role } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { limitTable } from "@skillhold/protocol/limits";
import { lockAgent } from "../access/agents.ts";
import { rejectAgentActor } from "../access/ownership.ts";
import type { AgentRecord } from "../record/agent.ts";
import { checkName, checkWords } from "../record/named-text.ts";
import { type IssuedToken, issuedOf, prepareToken, putToken } from "./put-token.ts";
import type { TokenContext } from "./token-context.ts";

export interface NewToken {
  /** For programs, if nothing else is said; a session comes of a sign-in alone. */
  readonly kind?: "api" | "sign-in";
  /** For people: what it is made for. */
  readonly name: string;
  readonly role: Role;
  /** Whoever issues it, if nothing else is said. */
  readonly user?: string;
  /** The key of the agent that it acts as; the role of an agent needs one, and an administrator has none. */
  readonly agent?: string;
  /** How long a token for programs counts; `limits.tokenMs`, if nothing else is said. */
  readonly expiresInMs?: number;
}

const MAX_NAME = 128;
const MAX_USER = 256;

/** Issues a token. Its secret is in the answer, and nowhere else: the store has a hash of it. */
export async function issueToken(
  spec: NewToken,
  { by }: { readonly by: Actor },
  context: TokenContext,
): Promise<IssuedToken> {
  rejectAgentActor(by);
  const { kind = "api", role } = spec;
  const name = checkWords("name of the token", spec.name, MAX_NAME);
  const user = checkName("name of the user", spec.user ?? by.user, MAX_USER);
  rejectBeyond(role, user, by);
  if (role === "agent" && spec.agent === undefined)
    throw usage("A token of the role agent acts as an agent.", "Name the agent.");
  if (role === "admin" && spec.agent !== undefined)
    throw new SkillError("CONFIG_INVALID", "An agent is no administrator.", {
      hint: "Leave the agent out, or give the token another role.",
    });
  const lifeMs = checkLife(kind, spec.expiresInMs);
  return await context.store.transaction(async (tx) => {
    const agent = spec.agent === undefined ? undefined : await lockAgent(spec.agent, tx);
    if (agent !== undefined) rejectStrangersAgent(agent, by);
    const plan = { kind, name, role, user, agent: agent?.key, createdBy: by.user, lifeMs };
    const prepared = prepareToken(plan, context);
    await tx.append(await putToken(prepared, by, tx));
    return issuedOf(prepared);
  });
}

/** From the least to the most that a bearer may do. */
const ranks: readonly Actor["role"][] = ["viewer", "agent", "publisher", "admin", "system"];

/** Nobody but an administrator issues for others, and nobody more than they may do themselves. */
function rejectBeyond(role: Role, user: string, by: Actor): void {
  if (by.role === "admin" || by.role === "system") return;
  if (user !== by.user) throw denied("Only an administrator issues tokens for others.");
  if (ranks.indexOf(role) > ranks.indexOf(by.role))
    throw denied(`A ${by.role} issues no token of the role ${role}.`);
}

function rejectStrangersAgent({ key, owner }: AgentRecord, { user, role }: Actor): void {
  if (role === "admin" || role === "system" || owner === user) return;
  throw denied(`The agent ${key} belongs to someone else.`);
}

function checkLife(kind: "api" | "sign-in", ms: number | undefined): number | undefined {
  if (ms === undefined) return undefined;
  if (kind === "sign-in")
    throw usage("How long a sign-in may take is not chosen for each.", "Leave the time out.");
  const { min, max } = limitTable.tokenMs;
  if (Number.isSafeInteger(ms) && ms >= min && ms <= max) return ms;
  throw usage("A token counts for a minute at least, and for ten years at most.", "Choose a time between.");
}

function denied(message: string): SkillError {
  return new SkillError("POLICY_DENIED", message, { hint: "Ask an administrator." });
}

function usage(message: string, hint: string): SkillError {
  return new SkillError("USAGE", message, { hint });
}
