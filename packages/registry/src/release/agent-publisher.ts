import { resolve } from "node:path";
import type { Viewer } from "@skillhold/core/library";
import type { Published } from "@skillhold/core/session";
import { SkillError } from "@skillhold/protocol/error";
import type { RegistryContext } from "../record/registry-context.ts";
import { publishFolder } from "./publish.ts";

export interface AgentPublisherOptions {
  /** The agent's workspaces: relative paths start from the first, and nothing is taken from outside all of them. */
  readonly roots: readonly [string, ...string[]];
  /** Whose skills they become when the viewer names no user. */
  readonly user: string;
}

/** Publishes what agents write in their workspaces: theirs, trusted as a stranger's, and never more. */
export function agentPublisher({ roots, user }: AgentPublisherOptions, context: RegistryContext) {
  return {
    async publish(path: string, viewer: Viewer): Promise<Published> {
      if (path.includes("\0")) throw new SkillError("USAGE", "The path has a NUL character.");
      const agent = viewer.agent === undefined ? {} : { agent: viewer.agent };
      const by = { user: viewer.user ?? user, role: "agent", ...agent } as const;
      return await publishFolder(resolve(roots[0], path), { by, roots }, context);
    },
  };
}
