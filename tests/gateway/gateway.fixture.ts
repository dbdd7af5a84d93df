import { hash, randomBytes, randomUUID } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, systemTimers } from "@skillhold/core/port";
import { nodeHost } from "@skillhold/core/source";
import { scanGuard } from "@skillhold/deps/guard-scan";
import { scanDependencies } from "@skillhold/deps/scan";
import {
  type Gateway,
  type GatewayContext,
  type GatewayOptions,
  openGateway,
  Progress,
  registryInbox,
} from "@skillhold/gateway";
import type { Role } from "@skillhold/protocol";
import { type Operation, Problem, type Route, type RouteTable, routeTable } from "@skillhold/protocol/http";
import { defaultLimits, type Limits } from "@skillhold/protocol/limits";
import { addAgent } from "@skillhold/registry/access";
import { RegistryAudit } from "@skillhold/registry/audit";
import { openRegistryLibrary } from "@skillhold/registry/library";
import { RegistryAsker, registryApprovals } from "@skillhold/registry/question";
import type { RegisteredSkill, RegistryContext, SkillAuthor } from "@skillhold/registry/record";
import { editSkill, getSkill, publishFolder } from "@skillhold/registry/release";
import type { StoredToken } from "@skillhold/registry/token";
import { openRegistryStore } from "@skillhold/store";
import { expect } from "vitest";
import type { z } from "zod";

export const HOST = "gateway.test:7878";

export interface TestGateway extends Gateway {
  readonly context: GatewayContext;
  readonly registry: RegistryContext;
  /** A temporary folder that is removed with the gateway. */
  readonly folder: string;
  /** Headers with a token of this role; the agent role is bound to `agent`. */
  readonly asRole: AsRole;
}

export type AsRole = (
  role: Role,
  user?: string,
  agent?: string,
) => Promise<{ readonly host: string; readonly authorization: string }>;

/** Sends one request; a given body is sent as JSON. */
export async function ask(
  { app }: Pick<Gateway, "app">,
  method: string,
  path: string,
  {
    headers = {},
    body,
  }: { readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown } = {},
): Promise<Response> {
  const json = body === undefined ? {} : { body: JSON.stringify(body) };
  const type = body === undefined ? {} : { "content-type": "application/json" };
  return await app.request(`http://${HOST}${path}`, {
    method,
    headers: { host: HOST, ...type, ...headers },
    ...json,
  });
}

type Answering = { [O in Operation]: RouteTable[O]["answer"] extends z.ZodType ? O : never }[Operation];

/** Parses a response strictly by the schema of its route. */
export async function answerOf<O extends Answering>(
  operation: O,
  response: Response,
): Promise<z.output<RouteTable[O]["answer"]>> {
  const row: Route = routeTable[operation];
  const data: unknown = await response.json();
  expect([response.status, data]).toEqual([row.status ?? 200, data]);
  const { answer } = routeTable[operation];
  const parsed = answer.parse(data);
  expect(data).toEqual(parsed);
  // The schema belongs to the operation, which the compiler cannot infer from the table.
  return parsed as z.output<RouteTable[O]["answer"]>;
}

/** The problem of a rejected request, without the request id. */
export async function problemOf(response: Response): Promise<Omit<Problem, "requestId">> {
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  const { requestId: _, ...problem } = Problem.parse(await response.json());
  expect(problem.status).toBe(response.status);
  return problem;
}

/** Publishes a skill of one file. */
export async function putSkill(
  { registry, folder }: Pick<TestGateway, "registry" | "folder">,
  id: string,
  owner: string,
  visibility: "private" | "public" = "private",
): Promise<RegisteredSkill> {
  const by = { user: owner, role: "publisher" } as const;
  const place = join(folder, "published", id);
  await mkdir(place, { recursive: true });
  await writeFile(join(place, "SKILL.md"), `---\nname: ${id}\ndescription: About ${id}.\n---\nDo it.\n`);
  await publishFolder(place, { by }, registry);
  if (visibility === "public") await editSkill(id, { visibility }, { by }, registry);
  return await getSkill(id, registry);
}

/** Overrides of the default test gateway. */
export interface Changed extends Omit<Partial<GatewayContext>, "options"> {
  readonly url?: string;
  readonly clock?: Clock;
  readonly limits?: Limits;
  readonly author?: SkillAuthor;
  readonly promotion?: RegistryContext["promotion"];
  readonly options?: Partial<GatewayOptions>;
}

/** A gateway over a new store, or over the one at an address, without a port. */
export async function openTestGateway(change: Changed = {}): Promise<TestGateway> {
  const {
    url: given,
    clock = { now: () => new Date() },
    limits = defaultLimits,
    author,
    promotion,
    options,
    ...changed
  } = change;
  const folder = await mkdtemp(join(tmpdir(), "skillhold-gateway-"));
  const store = await openRegistryStore(given ?? `sqlite:${join(folder, "registry.db")}`);
  const registry: RegistryContext = {
    store,
    clock,
    ids: { next: randomUUID },
    limits,
    scan: scanDependencies,
    publicBy: "publisher",
    ...(author === undefined ? {} : { author }),
    ...(promotion === undefined ? {} : { promotion }),
  };
  const host = nodeHost({ env: {}, platform: process.platform, cwd: folder });
  const skills = await openRegistryLibrary({ host, copies: join(folder, "copies"), watch: true }, registry);
  const audit = new RegistryAudit(store);
  const questions = new RegistryAsker({ ...registry, audit });
  const context: GatewayContext = {
    guardScan: scanGuard,
    registry,
    timers: systemTimers,
    library: skills,
    skills,
    audit,
    host,
    approvals: registryApprovals(store),
    inbox: registryInbox(questions),
    progress: new Progress(),
    log: () => {},
    version: "0.0.0",
    sources: [{ label: "registry", trust: "org" }],
    startedAt: clock.now().toISOString(),
    options: {
      hosts: [HOST],
      origins: [],
      isTls: false,
      isDiscoverable: false,
      rate: { token: 1_000_000, address: 1_000_000 },
      temporary: folder,
      ...options,
    },
    ...changed,
  };
  const gateway = openGateway(context);
  const close = async () => {
    await gateway.close();
    await questions.close();
    await audit.close();
    await skills.close();
    await store.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { ...gateway, context, registry, folder, asRole: rolesOf(context.registry), close };
}

/**
 * Each has a token of the registry, which is put there when it is first asked for, and its agent is put on record. No
 * event is written of a token: the log is of what tests do.
 */
function rolesOf(registry: RegistryContext): AsRole {
  const made = new Map<string, Promise<string>>();
  const once = (key: string, make: () => Promise<string>) => {
    const found = made.get(key) ?? make();
    made.set(key, found);
    return found;
  };
  return async (role, user = role, agent = role === "agent" ? "agent" : undefined) => {
    if (agent !== undefined) await once(`agent ${agent}`, () => ensureAgent(agent, user, registry));
    const secret = await once(JSON.stringify([role, user, agent]), () =>
      putToken({ role, user, agent }, registry),
    );
    return { host: HOST, authorization: `Bearer ${secret}` };
  };
}

async function ensureAgent(key: string, owner: string, registry: RegistryContext): Promise<string> {
  const by = { user: "test", role: "system" } as const;
  const isThere = (await registry.store.findAgent(key)) !== undefined;
  if (!isThere) await addAgent({ key, owner, runtime: "test" }, { by }, registry);
  return key;
}

async function putToken(
  bearer: Pick<StoredToken, "role" | "user" | "agent">,
  { store, clock, ids }: RegistryContext,
): Promise<string> {
  const secret = `skh_${randomBytes(32).toString("base64url")}`;
  const now = clock.now().getTime();
  const token: StoredToken = {
    id: ids.next(),
    kind: "api",
    name: "test",
    ...bearer,
    hash: hash("sha256", secret, "hex"),
    createdBy: "test",
    createdAt: new Date(now).toISOString(),
    expiresAt: new Date(now + 86_400_000).toISOString(),
    revokedAt: undefined,
    lastUsedAt: undefined,
  };
  await store.transaction((tx) => tx.putToken(token));
  return secret;
}
