export type { Question, QuestionAnswer } from "./question.ts";
export { QuestionDesk } from "./question-desk.ts";
export { registryApprovals } from "./registry-approvals.ts";
