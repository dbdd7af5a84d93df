export type { Question, QuestionAnswer } from "./question.ts";
export { registryApprovals } from "./registry-approvals.ts";
export { RegistryAsker } from "./registry-asker.ts";
