import type { Digest, ProposalKind, ProposalState } from "@skillhold/protocol";
import type { Viewer } from "../library/viewer.ts";
import type { ScriptRun } from "../run/index.ts";
import type { Activation } from "./activation.ts";

/** A change of a skill's files. Edits match their old text exactly once; a null content removes the file. */
export interface ProposedChange {
  readonly edits?: readonly ProposedEdit[] | undefined;
  readonly files?: readonly ProposedFile[] | undefined;
  /** A unified diff. */
  readonly diff?: string | undefined;
}

export interface ProposedEdit {
  /** SKILL.md by default. */
  readonly path?: string | undefined;
  readonly old: string;
  readonly new: string;
}

export interface ProposedFile {
  readonly path: string;
  readonly content: string | null;
}

/** A reference to the reason for a change. A run is one of the session. */
export interface EvidenceNote {
  readonly kind: "text" | "url" | "session" | "event" | "run";
  readonly value: string;
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

/** Stores proposals. It decides who the author is and who reviews. */
export interface SkillProposer {
  propose(proposal: SessionProposal, viewer: Viewer): Promise<Proposed>;
}
