import type { Digest } from "@skillhold/protocol";
import { runtimeName, type Viewer } from "../library/viewer.ts";
import type { Activation } from "./activation.ts";

/** The context of a tool call: its session, its caller and the active skills. */
export interface ToolContext {
  readonly session: string;
  readonly runtime: string;
  readonly agent?: string;
  readonly user?: string;
  readonly task?: string;
  readonly activeSkills: readonly ActiveSkill[];
}

export interface ActiveSkill {
  readonly id: string;
  readonly revision?: number;
  readonly treeHash: Digest;
}

export function toolContextOf(
  session: string,
  viewer: Viewer,
  task: string | undefined,
  active: readonly Activation[],
): ToolContext {
  const { agent, user } = viewer;
  return {
    session,
    runtime: runtimeName(viewer),
    ...(agent === undefined ? {} : { agent }),
    ...(user === undefined ? {} : { user }),
    ...(task === undefined ? {} : { task }),
    activeSkills: active.map(({ skill, revision, treeHash }) => ({
      id: skill,
      ...(revision === undefined ? {} : { revision }),
      treeHash,
    })),
  };
}
