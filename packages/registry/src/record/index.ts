export type { AgentRecord, UserRecord } from "./agent.ts";
export type { Blob, BlobEntry, BlobStore } from "./blob-store.ts";
export { diskFull, isDiskFull } from "./disk-full.ts";
export type { EvalPage, EvalResult } from "./eval-result.ts";
export type { FolderToggle, Grant, Grantee, PendingGrant } from "./grant.ts";
export type { PasskeyRecord, SignInAttempt, SsoIdentity } from "./passkey.ts";
export {
  type AppliedProposal,
  currentGeneration,
  isOpen,
  openStates,
  type Proposal,
  type ProposalActor,
  type ProposalEvidence,
  type ProposalGeneration,
  type ProposalQuery,
  type ProposalReview,
  type Repetition,
  type RunEvidence,
} from "./proposal.ts";
export type { CurrentSkill, RegisteredSkill, Revision, TreeFile } from "./registered-skill.ts";
export type { AuthoringRequest, PublishHooks, RegistryContext, SkillAuthor } from "./registry-context.ts";
export type {
  AgentPage,
  AgentUses,
  AuditHead,
  AuditKeyChange,
  AuditRow,
  EventQuery,
  GrantPage,
  ListedEvent,
  ListPage,
  PendingGrantQuery,
  PrunePlan,
  PruneStep,
  RegistryReader,
  RegistryStore,
  RegistryTransaction,
  RevisionPage,
  SeqRange,
  StoredEvent,
  StoredTree,
  TokenPage,
  TreePage,
} from "./registry-store.ts";
export type { RunOutput } from "./run-output.ts";
export type { StagedFile, StagedSkill } from "./staged-skill.ts";
export type { Delivery, DeliveryPage, Webhook } from "./webhook.ts";
export type { CardPush, WorkspaceHealth, WorkspaceRecord } from "./workspace.ts";
