import type {
  Digest,
  EvidenceNote,
  ProposalKind,
  ProposalState,
  SkillEntry,
  SkillUpdateInput,
} from "@skillhold/protocol";
import type { z } from "zod";
import type { Viewer } from "../library/viewer.ts";
import type { ScriptRun } from "../run/index.ts";
import type { Activation } from "./activation.ts";

/** A change of a skill's files. Edits match their old text exactly once; a null content removes the file. */
export interface ProposedChange {
  readonly edits?: z.infer<typeof SkillUpdateInput>["edits"];
  readonly files?: readonly { readonly path: string; readonly content: string | null }[] | undefined;
  readonly diff?: string | undefined;
  readonly body?: string | undefined;
  readonly description?: string | undefined;
}

export interface ProposalRequest {
  /** The skill to change; undefined proposes a new one. */
  readonly skill?: string | undefined;
  readonly change: ProposedChange;
  readonly justification: string;
  readonly evidence: readonly EvidenceNote[];
}

/** The end of a run's output, without secrets. */
export type KeptRun = Pick<ScriptRun, "run" | "script" | "exitCode" | "outcome" | "stdout" | "stderr"> & {
  readonly skill: string;
};

/** A request with the content that the session read and the runs that it made. */
export interface SessionProposal extends ProposalRequest {
  readonly session: string;
  readonly base: Pick<Activation, "skill" | "treeHash" | "revision" | "folder" | "source"> | undefined;
  readonly runs: readonly KeptRun[];
}

export interface Proposed {
  readonly id: string;
  readonly skill: string;
  readonly kind: ProposalKind;
  readonly state: ProposalState;
  /** False for a proposal with the same candidate that was already open. */
  readonly isNew: boolean;
  readonly candidate: Digest;
  /** Capabilities that the skill does not have now. */
  readonly widened: readonly string[];
}

/** The result of a promotion. */
export interface PromotedSkill {
  readonly proposal: string;
  readonly skill: string;
  readonly kind: ProposalKind;
  readonly state: ProposalState;
  /** The private skill that the agent can use at once. */
  readonly draft: string | undefined;
  readonly repetition: { readonly verdict: string; readonly found: number; readonly claimed: number };
}

export interface PromotionCall {
  readonly session: string;
  /** The skills that the session sees and that fit a text. */
  readonly search: (text: string) => Promise<readonly SkillEntry[]>;
}

/** Stores proposals. It decides who the author is and who reviews. */
export interface SkillProposer {
  propose(proposal: SessionProposal, viewer: Viewer): Promise<Proposed>;
  /** Promotes a repeated workflow of a registered agent. */
  promote?(packet: unknown, viewer: Viewer, call: PromotionCall): Promise<PromotedSkill>;
}
