/** Hands a better description to its reviewer. */
export interface Propose {
  propose(proposal: DescriptionProposal): Promise<{ readonly where: string }>;
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
