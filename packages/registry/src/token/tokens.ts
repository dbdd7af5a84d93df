import type { Actor, Role } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { limitTable } from "@skillhold/protocol/limits";
import { lockAgent } from "../access/agents.ts";
import { rejectAgentActor } from "../ownership/ownership.ts";
import type { AgentRecord } from "../record/agent.ts";
import { tokenLock } from "../record/lock.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import type { TokenPage } from "../record/registry-store.ts";
import { checkExactName, checkText } from "../record/text-field.ts";
import { type TokenRecord, withoutHash } from "../record/token.ts";
import type { TokenContext } from "./put-token.ts";
import { type IssuedToken, issuedOf, prepareToken, storeToken } from "./put-token.ts";

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
  const name = checkText("name of the token", spec.name, MAX_NAME);
  const user = checkExactName("name of the user", spec.user ?? by.user, MAX_USER);
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
    await tx.append(await storeToken(prepared, by, tx));
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

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Those for programs and those of browsers, the oldest first; revoked ones too, until they would have expired. */
export async function listTokens({ store }: RegistryContext): Promise<readonly TokenRecord[]> {
  return (await store.listTokens()).filter(({ kind }) => kind !== "sign-in").map(withoutHash);
}

/** The same, a page at a time. */
export async function listTokenPage(
  page: TokenPage,
  { store }: RegistryContext,
): Promise<readonly TokenRecord[]> {
  return (await store.listTokenPage(page)).map(withoutHash);
}

/** Takes a token back: it counts no more with the next call. For one who may not, a token of others is not there. */
export async function revokeToken(
  id: string,
  { by }: { readonly by: Actor },
  { store, clock }: RegistryContext,
): Promise<TokenRecord> {
  rejectAgentActor(by);
  // It may be a secret that was taken for an id, and is not repeated.
  if (!UUID.test(id)) throw new SkillError("TOKEN_NOT_FOUND", "That is not the id of a token.");
  return await store.transaction(async (tx) => {
    await tx.lock(tokenLock(id));
    const token = await tx.findToken(id);
    if (token?.id !== id || !mayRevoke(token, by)) throw notFound(id);
    if (token.revokedAt !== undefined) return withoutHash(token);
    const at = clock.now().toISOString();
    const revoked = { ...token, revokedAt: at };
    await tx.putToken(revoked);
    await tx.append({ type: "token.revoked", at, by, token: id });
    return withoutHash(revoked);
  });
}

function mayRevoke({ user }: TokenRecord, by: Actor): boolean {
  return by.role === "admin" || by.role === "system" || user === by.user;
}

function notFound(id: string): SkillError {
  return new SkillError("TOKEN_NOT_FOUND", `There is no token ${id}.`, { details: { token: id } });
}
