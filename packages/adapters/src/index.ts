export { type MaterializedSkills, type MaterializeOptions, materialize } from "./materialize.ts";
export {
  approve,
  refuse,
  restoreQuestions,
  type SessionProvider,
  type SkillAnswer,
  type SkillQuestion,
  saveQuestions,
} from "./skill-kit.ts";
export { type PortableFile, type PortableSkill, skillRecords } from "./skill-record.ts";
