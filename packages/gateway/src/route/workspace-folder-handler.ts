import { hash } from "node:crypto";
import type { Viewer } from "@skillhold/core/library";
import type { Digest } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { grantSkill } from "@skillhold/registry/access";
import {
  a2aCard,
  a2aVersions,
  type CardSkill,
  type HostedWorkspace,
  mayTalk,
  publicCardKey,
  readCard,
  readWorkspaceConfig,
  readWorkspaces,
  updateCard,
  type WorkspaceNode,
} from "@skillhold/registry/workspace";
import { z } from "zod";
import { getAgentFor, isAgentOf } from "../auth/agent-owner.ts";
import { type Principal, principalActor } from "../auth/principal.ts";
import { requestViewer } from "../auth/viewer.ts";
import type { Handlers } from "../http/handler.ts";
import type { Served } from "../http/served.ts";
import type { CatalogueContext } from "../running-context.ts";
import { workspaceView } from "../workspace/workspace-view.ts";

type FolderOperation =
  | "addWorkspaceSkill"
  | "removeWorkspaceSkill"
  | "listWorkspaceFiles"
  | "readWorkspaceFile"
  | "writeWorkspaceFile"
  | "removeWorkspaceFile"
  | "exportWorkspace"
  | "importWorkspace"
  | "getWorkspaceCard"
  | "listCardKeys";

export const workspaceFolderHandlers: Pick<Handlers, FolderOperation> = {
  addWorkspaceSkill: async ({ params, body, principal }, context) => {
    const { key } = await getAgentFor(params.workspace, principal, context.registry);
    const hosted = context.workspaces?.find(key);
    if (hosted === undefined) return await grantTo(key, body.skill, principal, context);
    const viewer = await requestViewer(principal, {}, context);
    const served: Served[] = [];
    await hosted.addSkill(body.skill, async (folder) => {
      const { treeHash, entry, files } = await context.library.copy(viewer, body.skill, folder);
      const bytes = files.reduce((sum, { size }) => sum + size, 0);
      served.push({ skill: entry.id, hash: treeHash, revision: entry.revision, digest: treeHash, bytes });
    });
    const node = await storeCard(hosted, principal, context);
    return { data: { ...workspaceView(node, context.workspaces), drop: "copied" }, served };
  },
  removeWorkspaceSkill: async ({ params, principal }, context) => {
    const hosted = await getHosted(params.workspace, principal, context);
    await hosted.removeSkill(params.skill);
    const node = await storeCard(hosted, principal, context);
    return { data: workspaceView(node, context.workspaces) };
  },
  listWorkspaceFiles: async ({ params, query, principal }, context) => {
    const hosted = await getHosted(params.workspace, principal, context);
    return { data: hosted.listFiles(query.path ?? "", query.depth ?? 1) };
  },
  readWorkspaceFile: async ({ params, principal }, context) => {
    const hosted = await getHosted(params.workspace, principal, context);
    const content = hosted.readFile(params.path);
    return { data: { path: params.path, content }, served: servedFile(params.path, content) };
  },
  writeWorkspaceFile: async ({ params, body, principal }, context) => {
    const hosted = await getHosted(params.workspace, principal, context);
    await hosted.writeFile(params.path, body.content);
    await storeCard(hosted, principal, context);
    return { data: { status: "saved", path: params.path } };
  },
  removeWorkspaceFile: async ({ params, principal }, context) => {
    const hosted = await getHosted(params.workspace, principal, context);
    hosted.removeFile(params.path);
    await storeCard(hosted, principal, context);
    return { data: { status: "deleted", path: params.path } };
  },
  exportWorkspace: async ({ params, principal }, context) => {
    const hosted = await getHosted(params.workspace, principal, context);
    const { files, omitted } = hosted.readAll();
    const data = bundleOf(hosted, files, omitted);
    return { data, served: Object.entries(files).flatMap(([path, text]) => servedFile(path, text)) };
  },
  importWorkspace: async ({ body: { id, files }, principal }, context) => {
    const { key } = await getAgentFor(id, principal, context.registry);
    const host = context.workspaces;
    if (host === undefined) throw noFolder(key);
    const entries = Object.entries(files);
    const hosted = host.make(key);
    // The list of skills is written last, so that a running workspace never lists a skill without its files.
    for (const [path, text] of [
      ...entries.filter(isNotConfig),
      ...entries.filter((each) => !isNotConfig(each)),
    ])
      await hosted.writeFile(path, text);
    await storeCard(hosted, principal, context);
    return { data: { status: "imported", id: key, files: entries.length } };
  },
  getWorkspaceCard: async ({ params, query, principal, headers }, context) => {
    const node = await findForCard(params.workspace, principal, context);
    const isVisible = await cardFilter(node, principal, context);
    const version = query.version ?? z.enum(a2aVersions).catch("1.0").parse(headers.get("a2a-version"));
    const { agent, record } = node;
    const subject = { card: record.card, name: agent.displayName, url: record.url, isVisible };
    const { cardKey, options } = context;
    const jku = `${options.isTls ? "https" : "http"}://${headers.get("host") ?? ""}/.well-known/jwks.json`;
    const json = a2aCard(subject, version, cardKey === undefined ? undefined : { key: cardKey, jku });
    return { json, headers: { vary: "A2A-Version, Authorization" } };
  },
  listCardKeys: async (_, { cardKey }) => ({
    data: { keys: cardKey === undefined ? [] : [publicCardKey(cardKey)] },
  }),
};

function isNotConfig([path]: readonly [string, string]): boolean {
  return path !== "config.yaml";
}

/** The folder of a workspace that the principal may manage. */
async function getHosted(
  id: string,
  principal: Principal,
  { registry, workspaces }: Pick<CatalogueContext, "registry" | "workspaces">,
): Promise<HostedWorkspace> {
  const { key } = await getAgentFor(id, principal, registry);
  const hosted = workspaces?.find(key);
  if (hosted === undefined) throw noFolder(key);
  return hosted;
}

/** A workspace without a folder here gets a grant, under the rules of grants to agents. */
async function grantTo(key: string, skill: string, principal: Principal, context: CatalogueContext) {
  const { registry, workspaces } = context;
  const agent = await getAgentFor(key, principal, registry);
  const record = await registry.store.findWorkspace(key);
  if (record === undefined) throw noFolder(key);
  const by = principalActor(principal);
  const { status } = await grantSkill(skill, { kind: "agent", key }, { by }, registry);
  const drop = status === "pending" ? ("pending" as const) : ("granted" as const);
  return { data: { ...workspaceView({ agent, record }, workspaces), drop }, served: [] };
}

function noFolder(key: string): SkillError {
  return new SkillError("NOT_READY", `The workspace ${key} has no folder on the gateway.`, {
    hint: "Start the gateway with --workspaces <folder>, and create the folder of the workspace there.",
    details: { key },
  });
}

/** Stores the card of the folder as it is now, without waiting for the workspace. */
async function storeCard(
  hosted: HostedWorkspace,
  principal: Principal,
  { registry }: Pick<CatalogueContext, "registry">,
): Promise<WorkspaceNode> {
  const record = await registry.store.findWorkspace(hosted.id);
  const { card } = hosted.compose(record?.url);
  return await updateCard(hosted.id, card, { by: principalActor(principal) }, registry);
}

/** Without a token, cards exist only at a gateway that is discoverable. */
async function findForCard(
  id: string,
  principal: Principal | undefined,
  { registry, options }: Pick<CatalogueContext, "registry" | "options">,
): Promise<WorkspaceNode> {
  const agent = await registry.store.findAgent(id);
  const record = agent === undefined ? undefined : await registry.store.findWorkspace(agent.key);
  const isKnown = agent !== undefined && agent.removedAt === undefined && record !== undefined;
  if (isKnown && (principal !== undefined || options.isDiscoverable)) return { agent, record };
  const key = id.slice(0, 80);
  throw new SkillError("AGENT_NOT_FOUND", `There is no workspace ${key}.`, { details: { key } });
}

/**
 * Owners and peers see every skill on the card. Others see those that they may use in the registry, and only if the card
 * says the same about them.
 */
async function cardFilter(
  node: WorkspaceNode,
  principal: Principal | undefined,
  context: CatalogueContext,
): Promise<(skill: CardSkill) => boolean> {
  if (principal !== undefined && (await isOfFamily(node, principal, context))) return () => true;
  const known = new Map(
    principal === undefined ? await listPublic(context) : await listFor(principal, context),
  );
  return ({ id, description }) => known.get(id) === description;
}

async function isOfFamily(
  { agent }: WorkspaceNode,
  principal: Principal,
  { registry }: Pick<CatalogueContext, "registry">,
): Promise<boolean> {
  if (isAgentOf(agent, principal)) return true;
  if (principal.agent === undefined) return false;
  return mayTalk(principal.agent, agent.key, await readWorkspaces(registry.store));
}

type Described = readonly (readonly [string, string])[];

async function listFor(principal: Principal, context: CatalogueContext): Promise<Described> {
  const entries = await context.library.list(await requestViewer(principal, {}, context));
  return entries.map(({ id, description }) => [id, description]);
}

const anonymous: Viewer = { runtime: "skillhold" };

async function listPublic({ skills }: Pick<CatalogueContext, "skills">): Promise<Described> {
  return (await skills.survey(anonymous)).flatMap(({ entry, isVisible }) => {
    const held = skills.findSnapshot(entry);
    return isVisible && held?.current.skill.visibility === "public" ? [[entry.id, entry.description]] : [];
  });
}

/** A file below `skills/` is content of that skill. */
function servedFile(path: string, text: string): readonly Served[] {
  const [, skill] = /^skills\/([a-z0-9]+(?:-[a-z0-9]+)*)\//.exec(path) ?? [];
  if (skill === undefined) return [];
  const digest = `sha256:${hash("sha256", text)}` as Digest;
  return [{ skill, hash: digest, revision: undefined, path, digest, bytes: Buffer.byteLength(text) }];
}

function bundleOf(hosted: HostedWorkspace, files: Readonly<Record<string, string>>, omitted: number) {
  const { card } = hosted.compose();
  const { config } = readWorkspaceConfig(files["config.yaml"] ?? "");
  const described = readCard(JSON.stringify(card));
  return {
    schema: "1.0" as const,
    id: hosted.id,
    name: described.name,
    description: described.description,
    tier: card.tier,
    model: config?.model ?? "",
    version: card.version,
    system_prompt: (config?.promptFiles ?? []).map((path) => files[path] ?? "").join("\n\n"),
    skills: described.skills.map(({ id, name, description }) => ({
      id,
      name,
      description,
      files: below(files, `skills/${id}/`),
    })),
    agent_card: z.json().parse(JSON.parse(JSON.stringify(card))),
    files: { ...files },
    omitted,
  };
}

function below(files: Readonly<Record<string, string>>, prefix: string): Record<string, string> {
  const inside = Object.entries(files).filter(([path]) => path.startsWith(prefix));
  return Object.fromEntries(inside.map(([path, text]) => [path.slice(prefix.length), text]));
}
