import { dirname } from "node:path";
import { combineDigests } from "@skillhold/core/bundle";
import type { SessionProposal, SkillProposer } from "@skillhold/core/session";
import { SkillId } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { ProposalActor } from "../record/proposal.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import { readBundle } from "../release/read-bundle.ts";
import { type ProposalSubject, propose } from "./propose.ts";

export interface SessionProposerOptions {
  /** The author if the viewer names no user. */
  readonly user: string;
  /** The token of the session, which may not review its own proposals. */
  readonly token?: string | undefined;
}

/** Stores the proposals of a session. Their author is always an agent, because a model calls the tools of a session. */
export function sessionProposer(
  { user, token }: SessionProposerOptions,
  context: RegistryContext,
): SkillProposer {
  return {
    propose: async (proposal, viewer) => {
      const author: ProposalActor = {
        user: viewer.user ?? user,
        role: "agent",
        ...(viewer.agent === undefined ? {} : { agent: viewer.agent }),
        ...(token === undefined ? {} : { token }),
      };
      const { change, justification, evidence, runs, session } = proposal;
      const subject = await subjectOf(proposal, context);
      const request = { author, subject, change, justification, evidence, runs, session };
      return await propose({ ...request, origin: "session" }, context);
    },
  };
}

async function subjectOf({ base }: SessionProposal, context: RegistryContext): Promise<ProposalSubject> {
  if (base === undefined) return { kind: "create" };
  const { skill, treeHash, revision, folder } = base;
  if (revision !== undefined) return { kind: "registry", skill, base: treeHash };
  if (folder === undefined)
    throw new SkillError("CONFLICT", `The skill ${skill} is neither in the registry nor in a folder.`, {
      hint: "Propose the change to the server that provides the skill.",
      details: { id: skill },
    });
  const { files } = await readBundle(folder, { within: folder }, context.limits);
  if (combineDigests(files) === treeHash)
    return { kind: "folder", skill: SkillId.parse(skill), folder, files };
  throw new SkillError(
    "CONFLICT",
    `The folder of ${skill} changed since you read the skill, or the skill uses files of ${dirname(folder)}.`,
    {
      hint: "Read the skill again, then propose the change.",
      details: { id: skill },
    },
  );
}
