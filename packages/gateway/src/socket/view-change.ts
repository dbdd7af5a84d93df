import { createHash } from "node:crypto";
import { mayKnow, type Viewer } from "@skillhold/core/library";
import { SkillError } from "@skillhold/protocol/error";
import { isAdministrator, isPerson, type Principal } from "../auth/principal.ts";
import { requestViewer } from "../auth/viewer.ts";
import type { RunningContext } from "../running-context.ts";
import { isOverseer } from "../skill/disclosed-skill.ts";
import { viewKeyOf } from "./socket-viewer.ts";

type ViewContext = Pick<RunningContext, "registry" | "library" | "skills">;

/**
 * Finds out whose view changed. The version of the whole view would also change with skills that a client may not know, so
 * each view has its own fingerprint.
 */
export class ViewChanges {
  readonly #context: ViewContext;
  /** The last fingerprint by view key. */
  readonly #seen = new Map<string, string>();

  constructor(context: ViewContext) {
    this.#context = context;
  }

  /**
   * Notes the view of a new client, which reads its skills after this. Returns whether the view changed since it was last
   * noted. Contract: calls of an instance run one at a time.
   */
  async note(principal: Principal): Promise<boolean> {
    if (isAdministrator(principal)) return false;
    return await this.#isChanged(viewKeyOf(principal), principal);
  }

  /** The view keys that changed since the last call. Forgets the views of other principals. */
  async changed(principals: readonly Principal[]): Promise<ReadonlySet<string>> {
    const connected = new Map(principals.map((principal) => [viewKeyOf(principal), principal]));
    for (const key of this.#seen.keys()) if (!connected.has(key)) this.#seen.delete(key);
    const changed = new Set<string>();
    for (const [key, principal] of connected) if (await this.#isChanged(key, principal)) changed.add(key);
    return changed;
  }

  async #isChanged(key: string, principal: Principal): Promise<boolean> {
    // Administrators see every skill.
    if (isAdministrator(principal)) return true;
    const before = this.#seen.get(key);
    const now = await this.#fingerprint(principal);
    this.#seen.set(key, now);
    // A client without a fingerprint waits for its `hello` and reads its skills afterward.
    return before !== undefined && now !== before;
  }

  /** Covers every view that the principal may request: their own and those of their agents, for all runtimes and invokers. */
  async #fingerprint(principal: Principal): Promise<string> {
    const sum = createHash("sha256");
    for (const viewer of await this.#viewersOf(principal)) {
      sum.update(JSON.stringify(viewer));
      for (const facts of await this.#factsOf(viewer, principal)) sum.update(JSON.stringify(facts));
    }
    return sum.digest("hex");
  }

  async #viewersOf(principal: Principal): Promise<readonly Viewer[]> {
    const { store } = this.#context.registry;
    const agents = isPerson(principal) ? await store.listAgents({ owner: principal.user }) : [];
    const keys = agents.filter(({ removedAt }) => removedAt === undefined).map(({ key }) => key);
    const viewers = [undefined, ...keys].map((agent) => this.#viewerOf(principal, agent));
    return (await Promise.all(viewers)).filter((viewer) => viewer !== undefined);
  }

  async #viewerOf(principal: Principal, agent: string | undefined): Promise<Viewer | undefined> {
    try {
      return await requestViewer(principal, agent === undefined ? {} : { agent }, this.#context);
    } catch (error) {
      // A removed agent sees no skills.
      if (error instanceof SkillError && error.code === "AGENT_NOT_FOUND") return undefined;
      throw error;
    }
  }

  async #factsOf(viewer: Viewer, principal: Principal): Promise<readonly unknown[]> {
    const { library, skills } = this.#context;
    return (await library.survey(viewer)).flatMap(({ entry, ...decision }) => {
      const held = skills.findSnapshot(entry);
      const isManaged = held !== undefined && isOverseer(held, principal);
      const standing = held && skills.view().standing(entry.id);
      const isGone = held === undefined && entry.revision !== undefined;
      if (isGone || !(isManaged || mayKnow({ id: entry.id, standing }, viewer))) return [];
      const { id, revision, skillHash, lastModified, readiness } = entry;
      const state = [held?.current.skill ?? null, isManaged ? held.grants : null];
      return [[id, revision, skillHash, lastModified, readiness, decision, state]];
    });
  }
}
