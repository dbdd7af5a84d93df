export { contentOf, mayAnswer, type Question, type QuestionAnswer } from "./question.ts";
export { registryApprovals } from "./registry-approvals.ts";
export { RegistryAsker } from "./registry-asker.ts";
