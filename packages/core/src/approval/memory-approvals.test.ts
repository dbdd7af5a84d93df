import { approvalContract } from "./approval.contract.ts";
import { memoryApprovals } from "./memory-approvals.ts";

approvalContract("memory", memoryApprovals);
