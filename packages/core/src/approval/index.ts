export type {
  Approval,
  ApprovalAnswer,
  ApprovalCall,
  ApprovalGift,
  ApprovalRequest,
  ApprovalScope,
  ApprovalStore,
  Asker,
  GivenApproval,
  Requester,
  Widening,
} from "./approval.ts";
export { ALL_TOOLS, type ApprovalSubject, approvalKey, coveringKeys, requestKey } from "./approval-key.ts";
export { type ApprovalPorts, Approvals, type ObtainedApproval } from "./approvals.ts";
export { argumentShape } from "./argument-shape.ts";
export { approvalPending, interrupted } from "./ask.ts";
export {
  type DescribedField,
  describeRequest,
  exactText,
  headlineOf,
  requesterText,
  summarizeRequest,
} from "./describe.ts";
export { memoryApprovals } from "./memory-approvals.ts";
export { type RecordedApprovals, revokeApproval, revokeChanged } from "./revoke-approval.ts";
