/** Hands a better description to its reviewer. */
export interface Propose {
  /** Returns its id or file, and what to do with it. */
  propose(proposal: DescriptionProposal): Promise<{ readonly where: string; readonly next?: string }>;
}

export interface DescriptionProposal {
  readonly skill: string;
  /** The content that was evaluated. */
  readonly base: string;
  readonly description: string;
  /** A unified diff of SKILL.md. */
  readonly patch: string;
  readonly justification: string;
}
