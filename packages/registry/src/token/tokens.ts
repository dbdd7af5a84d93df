import type { Actor, Role } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { limitTable } from "@skillhold/protocol/limits";
import { lockAgent } from "../access/agents.ts";
import { rejectAgentActor } from "../ownership/ownership.ts";
import { type AgentRecord, agentUser, isAgentUser } from "../record/agent.ts";
import { tokenLock } from "../record/lock.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import type { TokenPage } from "../record/registry-store.ts";
import { checkExactName, checkText } from "../record/text-field.ts";
import { isLive, type TokenRecord, withoutHash } from "../record/token.ts";
import type { TokenContext } from "./put-token.ts";
import { type IssuedToken, issuedOf, prepareToken, storeToken } from "./put-token.ts";

export interface NewToken {
  /** By default `api`. Sessions are created only by signing in. */
  readonly kind?: "api" | "sign-in";
  /** A label for people. */
  readonly name: string;
  readonly role: Role;
  /** By default the own user of the agent for the role agent, otherwise the issuer. */
  readonly user?: string;
  /** The key of the agent to act as. Required for the role agent, not allowed for admin. */
  readonly agent?: string;
  /** The lifetime of an API token; by default `limits.tokenMs`. */
  readonly expiresInMs?: number;
}

const MAX_NAME = 128;
const MAX_USER = 256;

/** Issues a token. The result is the only place with the secret: the store keeps a hash. */
export async function issueToken(
  spec: NewToken,
  { by }: { readonly by: Actor },
  context: TokenContext,
): Promise<IssuedToken> {
  rejectAgentActor(by);
  const { kind = "api", role } = spec;
  const name = checkText("token name", spec.name, MAX_NAME);
  const named = spec.user === undefined ? undefined : checkExactName("user name", spec.user, MAX_USER);
  rejectBeyond(role, named ?? by.user, by);
  if (role === "agent" && spec.agent === undefined)
    throw usage("A token with the role agent needs an agent.", "Name the agent that the token acts as.");
  if (role === "admin" && spec.agent !== undefined)
    throw new SkillError("CONFIG_INVALID", "A token for an agent cannot have the role admin.", {
      hint: "Omit the agent, or choose another role.",
    });
  const lifeMs = checkLife(kind, spec.expiresInMs);
  return await context.store.transaction(async (tx) => {
    const agent = spec.agent === undefined ? undefined : await lockAgent(spec.agent, tx);
    if (agent !== undefined) rejectStrangersAgent(agent, by);
    const own = agent === undefined ? undefined : agentUser(agent.key);
    rejectReserved(named, own);
    const user = named ?? (role === "agent" ? own : undefined) ?? by.user;
    const plan = { kind, name, role, user, agent: agent?.key, createdBy: by.user, lifeMs };
    const prepared = prepareToken(plan, context);
    await tx.append(await storeToken(prepared, by, tx));
    return issuedOf(prepared);
  });
}

/** A person with the name of an agent's user would see and change its skills. */
function rejectReserved(user: string | undefined, own: string | undefined): void {
  if (user === undefined || user === own || !isAgentUser(user)) return;
  throw usage(
    `The user name ${user} is reserved for an agent.`,
    'Choose a name that does not start with "agent:".',
  );
}

/** Ordered by increasing permissions. */
const ranks: readonly Actor["role"][] = ["viewer", "agent", "publisher", "admin", "system"];

/** Whether the first role has more permissions. */
export function isHigherRole(role: Role, than: Role): boolean {
  return ranks.indexOf(role) > ranks.indexOf(than);
}

/** Only administrators issue tokens for other users or with a higher role than their own. */
function rejectBeyond(role: Role, user: string, by: Actor): void {
  if (by.role === "admin" || by.role === "system") return;
  if (user !== by.user) throw denied("Only administrators can issue tokens for other users.");
  if (ranks.indexOf(role) > ranks.indexOf(by.role))
    throw denied(`A ${by.role} cannot issue a token with the role ${role}.`);
}

function rejectStrangersAgent({ key, owner }: AgentRecord, { user, role }: Actor): void {
  if (role === "admin" || role === "system" || owner === user) return;
  throw denied(`The agent ${key} belongs to another user.`);
}

function checkLife(kind: "api" | "sign-in", ms: number | undefined): number | undefined {
  if (ms === undefined) return undefined;
  if (kind === "sign-in") throw usage("The lifetime of a sign-in token cannot be set.", "Omit the lifetime.");
  const { min, max } = limitTable.tokenMs;
  if (Number.isSafeInteger(ms) && ms >= min && ms <= max) return ms;
  throw usage(
    `The token lifetime of ${ms} ms is out of range.`,
    "Choose a lifetime between one minute and ten years.",
  );
}

function denied(message: string): SkillError {
  return new SkillError("POLICY_DENIED", message, { hint: "Ask an administrator." });
}

function usage(message: string, hint: string): SkillError {
  return new SkillError("USAGE", message, { hint });
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** API and session tokens, oldest first, including revoked ones that have not expired. */
export async function listTokens({ store }: RegistryContext): Promise<readonly TokenRecord[]> {
  return (await store.listTokens()).filter(({ kind }) => kind !== "sign-in").map(withoutHash);
}

/** One page of the same list. */
export async function listTokenPage(
  page: TokenPage,
  { store }: RegistryContext,
): Promise<readonly TokenRecord[]> {
  return (await store.listTokenPage(page)).map(withoutHash);
}

/** Sign-in codes that are neither used, revoked nor expired, oldest first. */
export async function listSignIns({ store, clock }: RegistryContext): Promise<readonly TokenRecord[]> {
  const now = clock.now();
  return (await store.listTokens("sign-in")).filter((token) => isLive(token, now)).map(withoutHash);
}

/** A token, for administrators, its user and the issuer of an agent's token. Throws TOKEN_NOT_FOUND. */
export async function getToken(id: string, by: Actor, { store }: RegistryContext): Promise<TokenRecord> {
  const token = await store.findToken(id);
  if (token?.id !== id || token.kind === "sign-in" || !isTokenOf(token, by)) throw notFound(id);
  return withoutHash(token);
}

/**
 * Revokes a token with effect from the next call. Other users' tokens are not found, except by
 * administrators and by the issuer of an agent's token.
 */
export async function revokeToken(
  id: string,
  { by }: { readonly by: Actor },
  { store, clock }: RegistryContext,
): Promise<TokenRecord> {
  rejectAgentActor(by);
  // The text may be a secret pasted by mistake, so the message does not repeat it.
  if (!UUID.test(id)) throw new SkillError("TOKEN_NOT_FOUND", "The given text is not a token id.");
  return await store.transaction(async (tx) => {
    await tx.lock(tokenLock(id));
    const token = await tx.findToken(id);
    if (token?.id !== id || !isTokenOf(token, by)) throw notFound(id);
    if (token.revokedAt !== undefined) return withoutHash(token);
    const at = clock.now().toISOString();
    const revoked = { ...token, revokedAt: at };
    await tx.putToken(revoked);
    await tx.append({ type: "token.revoked", at, by, token: id });
    return withoutHash(revoked);
  });
}

/** Contract: `selectTokenPage` selects the same tokens. */
function isTokenOf({ user, role, createdBy }: TokenRecord, by: Actor): boolean {
  if (by.role === "admin" || by.role === "system" || user === by.user) return true;
  return role === "agent" && createdBy === by.user;
}

function notFound(id: string): SkillError {
  return new SkillError("TOKEN_NOT_FOUND", `There is no token ${id}.`, { details: { token: id } });
}
