import { resolve } from "node:path";
import type { Viewer } from "@skillhold/core/library";
import type { Published } from "@skillhold/core/session";
import { SkillError } from "@skillhold/protocol/error";
import type { RegistryContext } from "../record/registry-context.ts";
import { publishFolder } from "./publish.ts";

export interface AgentPublisherOptions {
  /**
   * The agent's workspaces. Relative paths resolve from the first, and paths outside all of them are
   * rejected.
   */
  readonly roots: readonly [string, ...string[]];
  /** The owner of the skills if the viewer names no user. */
  readonly user: string;
}

/** Publishes skills from the workspaces of agents, always with third-party trust. */
export function agentPublisher({ roots, user }: AgentPublisherOptions, context: RegistryContext) {
  return {
    async publish(path: string, viewer: Viewer): Promise<Published> {
      if (path.includes("\0")) throw new SkillError("USAGE", "The path contains a NUL character.");
      const agent = viewer.agent === undefined ? {} : { agent: viewer.agent };
      const by = { user: viewer.user ?? user, role: "agent", ...agent } as const;
      return await publishFolder(resolve(roots[0], path), { by, roots }, context);
    },
  };
}
