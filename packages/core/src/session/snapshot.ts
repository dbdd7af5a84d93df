import { Digest, SkillError } from "@skillhold/protocol";
import { z } from "zod";
import type { Library } from "../library/library.ts";
import type { Viewer } from "../library/viewer.ts";
import { type Activation, activationOf } from "./activation.ts";

const Snapshot = z.object({
  version: z.literal(1),
  session: z.string().max(200),
  task: z.string().optional(),
  active: z
    .array(
      z.object({
        skill: z.string().max(128),
        treeHash: Digest,
        invoker: z.enum(["model", "user"]),
        args: z.string(),
        at: z.iso.datetime(),
      }),
    )
    .max(1000)
    .readonly(),
});

/**
 * The state of a session as plain JSON, for a process that continues it. It has no skill content: the next session
 * reads each active skill again. Store it where neither the model nor a skill can change it.
 */
export type SessionSnapshot = Readonly<z.infer<typeof Snapshot>>;

/** An activation that a resumed session does not have. */
export interface DroppedActivation {
  readonly skill: string;
  readonly treeHash: Digest;
  /** `changed`: the content has another hash. `missing`: the viewer sees no such skill. */
  readonly reason: "changed" | "missing";
}

/** The result of resuming. */
export interface Resumption {
  /** The id of the session that wrote the snapshot. */
  readonly session: string;
  readonly kept: readonly { readonly skill: string; readonly treeHash: Digest }[];
  readonly dropped: readonly DroppedActivation[];
}

export function takeSnapshot(
  session: string,
  task: string | undefined,
  active: readonly Activation[],
): SessionSnapshot {
  return {
    version: 1,
    session,
    ...(task === undefined ? {} : { task }),
    active: active.map(({ skill, treeHash, invoker, args, at }) => ({ skill, treeHash, invoker, args, at })),
  };
}

/** Checks a snapshot, which may come from a file or a request. */
export function parseSessionSnapshot(value: unknown): SessionSnapshot {
  const parsed = Snapshot.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new SkillError("USAGE", "The session snapshot is invalid.", {
    hint: "Pass the value of `session.snapshot()` as JSON, unchanged.",
    cause: parsed.error,
  });
}

export interface ResumedState {
  readonly active: readonly Activation[];
  readonly resumption: Resumption;
}

/** Restores the activations whose content is unchanged and still visible, through the same gate as an activation. */
export async function restoreActivations(
  snapshot: SessionSnapshot,
  session: string,
  viewer: Viewer,
  library: Library,
): Promise<ResumedState> {
  const active: Activation[] = [];
  const dropped: DroppedActivation[] = [];
  for (const { skill, treeHash, invoker, args, at } of snapshot.active) {
    const content = await readVisible(skill, { ...viewer, invoker }, library);
    if (content?.treeHash === treeHash) {
      const context = { session, task: snapshot.task, at: new Date(at), invoker, args };
      active.push(activationOf(content, context));
    } else {
      dropped.push({ skill, treeHash, reason: content === undefined ? "missing" : "changed" });
    }
  }
  const kept = active.map(({ skill, treeHash }) => ({ skill, treeHash }));
  return { active, resumption: { session: snapshot.session, kept, dropped } };
}

async function readVisible(id: string, viewer: Viewer, library: Library) {
  try {
    return await library.read(viewer, id);
  } catch (error) {
    if (error instanceof SkillError && error.code === "SKILL_NOT_FOUND") return undefined;
    throw error;
  }
}
