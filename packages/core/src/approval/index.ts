export type {
  Approval,
  ApprovalAnswer,
  ApprovalCall,
  ApprovalRequest,
  ApprovalScope,
  ApprovalStore,
  Asker,
  GivenApproval,
  Requester,
  Widening,
} from "./approval.ts";
export { type ApprovalSubject, approvalKey, coveringKeys, requestKey } from "./approval-key.ts";
export { type ApprovalPorts, Approvals, type ObtainedApproval } from "./approvals.ts";
export { argumentShape } from "./argument-shape.ts";
export { interrupted } from "./ask.ts";
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
