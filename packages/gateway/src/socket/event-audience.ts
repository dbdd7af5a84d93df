import { pinOf } from "@skillhold/core/library";
import type { SkillEvent } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { DependencyEvent } from "@skillhold/protocol/http";
import { Oversight } from "@skillhold/registry/access";
import { maySee } from "@skillhold/registry/proposal";
import { mayTalk, readWorkspaces, type WorkspaceTree } from "@skillhold/registry/workspace";
import { isAgentOf } from "../auth/agent-owner.ts";
import {
  isAdministrator,
  isPerson,
  type Principal,
  principalActor,
  proposalActor,
} from "../auth/principal.ts";
import type { CatalogueContext } from "../running-context.ts";
import type { SessionOwners } from "./session-owner.ts";
import { type SocketViewers, viewKeyOf } from "./socket-viewer.ts";

/** How much of an event a recipient gets: the whole event, a redacted part, or no event. */
export type Share = "all" | "part" | "none";

export interface AudiencePorts {
  readonly context: Pick<CatalogueContext, "registry" | "library">;
  readonly viewers: SocketViewers;
  readonly owners: SessionOwners;
}

type ChangeEvent = Extract<SkillEvent, { readonly type: (typeof changeTypes)[number] }>;

/** Events that change a skill for its users. */
const changeTypes = [
  "skill.published",
  "skill.edited",
  "skill.toggled",
  "skill.status_changed",
  "skill.rolled_back",
  "skill.deleted",
  "skill.restored",
  "grant.given",
  "grant.revoked",
] as const;
const changes: ReadonlySet<string> = new Set(changeTypes);

function isChange(event: SkillEvent): event is ChangeEvent {
  return changes.has(event.type);
}

type WorkspaceEvent = Extract<SkillEvent, { readonly type: `workspace.${string}` | "agent.removed" }>;

function isOfWorkspace(event: SkillEvent): event is WorkspaceEvent {
  return event.type === "agent.removed" || event.type.startsWith("workspace.");
}

/**
 * Decides who receives which events, on sockets and in lists. Administrators receive everything. Others receive changes
 * of skills that they see or manage now, the use of skills that they oversee, the events of their own sessions, and those
 * of workspaces that they own or may talk to. An instance caches its lookups, so use one per event or page.
 */
export class EventAudience {
  readonly #ports: AudiencePorts;
  readonly #oversight: Oversight;
  readonly #visible = new Map<string, Promise<boolean>>();
  #workspaces: Promise<WorkspaceTree> | undefined;

  constructor(ports: AudiencePorts) {
    this.#ports = ports;
    this.#oversight = new Oversight(ports.context.registry.store);
  }

  async shareOf(event: SkillEvent, principal: Principal): Promise<Share> {
    if (isAdministrator(principal)) return "all";
    if (event.type === "grant.requested" || event.type === "grant.declined")
      return (await this.#isAsked(event, principal)) ? "all" : "none";
    if ("proposal" in event) return (await this.#takesPart(event.proposal, principal)) ? "all" : "none";
    if (isChange(event)) return await this.#shareOfChange(event, principal);
    if (isOfWorkspace(event)) return await this.#shareOfWorkspace(event, principal);
    if (await this.#oversight.includes(event, principalActor(principal))) return "all";
    if (!("session" in event)) return "none";
    return (await this.#ports.owners.isOwn(event.session, principal)) ? "part" : "none";
  }

  /** Publishers receive the progress of their skills; only administrators receive progress without a skill. */
  async receivesProgress(event: DependencyEvent, principal: Principal): Promise<boolean> {
    if (isAdministrator(principal)) return true;
    if (principal.role !== "publisher" || !("slug" in event)) return false;
    return (await this.#manages(event.slug, principal)) || (await this.#sees(event.slug, principal));
  }

  async #shareOfChange(event: ChangeEvent, principal: Principal): Promise<Share> {
    const isOfRegistry = event.type !== "skill.toggled" || event.scope === "registry";
    if (isOfRegistry && (await this.#manages(event.skill, principal))) return "all";
    // Only managers see the grants of others.
    if ("grantee" in event && !isGrantee(event.grantee, principal)) return "none";
    const isVisible = (await this.#sees(event.skill, principal)) && (await this.#isOpen(event, principal));
    return isVisible ? "part" : "none";
  }

  /** Owners and the workspace itself receive everything; its peers receive what a card and a status show. */
  async #shareOfWorkspace(event: WorkspaceEvent, principal: Principal): Promise<Share> {
    const tree = await this.#treeOf(event);
    const own = tree.get(event.agent);
    if (own === undefined) return "none";
    if (isAgentOf(own.agent, principal)) return "all";
    if (principal.agent === undefined || event.type === "workspace.activity") return "none";
    return mayTalk(principal.agent, event.agent, tree) ? "part" : "none";
  }

  /** The workspaces when the event is one of a workspace; undefined for other events. */
  async workspacesOf(event: SkillEvent): Promise<WorkspaceTree | undefined> {
    return isOfWorkspace(event) ? await this.#treeOf(event) : undefined;
  }

  /** All workspaces, and the one that the event removed: its former peers must know. */
  async #treeOf(event: WorkspaceEvent): Promise<WorkspaceTree> {
    const { store } = this.#ports.context.registry;
    this.#workspaces ??= readWorkspaces(store);
    const tree = await this.#workspaces;
    if (event.type !== "agent.removed" || tree.has(event.agent)) return tree;
    const [agent, record] = [await store.findAgent(event.agent), await store.findWorkspace(event.agent)];
    return agent === undefined || record === undefined
      ? tree
      : new Map([...tree, [agent.key, { agent, record }]]);
  }

  /** The author and the reviewers of a proposal receive its events. */
  async #takesPart(id: string, principal: Principal): Promise<boolean> {
    const { registry } = this.#ports.context;
    const proposal = await registry.store.findProposal(id);
    const by = proposalActor(principal);
    return proposal !== undefined && (await maySee(proposal, by, registry.store, registry));
  }

  /** Managers of the skill and the owner of the agent take part in a pending grant. */
  async #isAsked(
    { skill, grantee }: Extract<SkillEvent, { readonly type: "grant.requested" | "grant.declined" }>,
    principal: Principal,
  ): Promise<boolean> {
    if (!isPerson(principal)) return false;
    if (await this.#manages(skill, principal)) return true;
    return (await this.#ports.context.registry.store.findAgent(grantee.key))?.owner === principal.user;
  }

  /** A viewer with a pin receives only events of the pinned revision. */
  async #isOpen(event: ChangeEvent, principal: Principal): Promise<boolean> {
    if (!("revision" in event)) return true;
    const viewer = await this.#ports.viewers.get(principal);
    const pin = pinOf(event.skill, viewer, await this.#oversight.find(event.skill));
    return pin === undefined || (pin === event.revision && event.type !== "skill.rolled_back");
  }

  async #manages(id: string, principal: Principal): Promise<boolean> {
    return await this.#oversight.manages(id, principalActor(principal));
  }

  async #sees(id: string, principal: Principal): Promise<boolean> {
    return await memo(this.#visible, `${id} ${viewKeyOf(principal)}`, () => this.#isVisible(id, principal));
  }

  /** Skills for models only and skills for users only are both included. */
  async #isVisible(id: string, principal: Principal): Promise<boolean> {
    const { context, viewers } = this.#ports;
    try {
      const viewer = await viewers.get(principal);
      if ((await context.library.find(viewer, id)) !== undefined) return true;
      return (await context.library.find({ ...viewer, invoker: "user" }, id)) !== undefined;
    } catch (error) {
      // A removed agent sees no skills.
      if (error instanceof SkillError && error.code === "AGENT_NOT_FOUND") return false;
      throw error;
    }
  }
}

function isGrantee(
  { kind, key }: { readonly kind: "agent" | "user"; readonly key: string },
  { user, agent }: Principal,
): boolean {
  return key === (kind === "user" ? user : agent);
}

function memo<T>(known: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}
