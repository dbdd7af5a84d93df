export type { Question, QuestionAnswer } from "./question.ts";
export { registryApprovals } from "./registry-approvals.ts";
export { QuestionDesk } from "./registry-asker.ts";
