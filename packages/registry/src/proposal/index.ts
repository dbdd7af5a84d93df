export { type AppliedChange, applyProposal, outdateFolder } from "./apply.ts";
export { isAuthor, mayWithdraw } from "./author.ts";
export { readTree, stageProposed } from "./candidate.ts";
export { applyChange } from "./change.ts";
export { recoverFolders } from "./folder-skill.ts";
export { approveFirst, type GovernedSkill, isApproved, proposeEdit } from "./governed.ts";
export { formatProposal, parseProposal } from "./proposal-file.ts";
export {
  type ImportedProposal,
  importProposalFile,
  importProposalFolder,
  writeProposalFile,
} from "./proposal-folder.ts";
export {
  getProposal,
  manages,
  maySee,
  type ProposalPermissions,
  permissionsOf,
  reviewProposal,
  withdrawProposal,
} from "./proposals.ts";
export { type NewProposal, type ProposalSubject, propose } from "./propose.ts";
export { rebaseProposal } from "./rebase.ts";
export { type SessionProposerOptions, sessionProposer } from "./session-proposer.ts";
export { isWidened, mayReview, missingReviewers } from "./state.ts";
