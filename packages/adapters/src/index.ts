export {
  approve,
  refuse,
  restoreQuestions,
  type SessionProvider,
  type SkillAnswer,
  type SkillQuestion,
  saveQuestions,
} from "./skill-kit.ts";
