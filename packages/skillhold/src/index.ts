export {
  approve,
  type MaterializedSkills,
  type MaterializeOptions,
  materialize,
  type PortableSkill,
  refuse,
  restoreQuestions,
  type SkillAnswer,
  type SkillQuestion,
  saveQuestions,
  skillRecords,
} from "@skillhold/adapters";
export type { AgentTool, Asker, Library, Sandbox, Session, SkillTool, Viewer } from "@skillhold/core";
export {
  type AgentKit,
  AgentSession,
  openSkillhold,
  type ServedGateway,
  type ServeOptions,
  Skillhold,
  type SkillholdOptions,
} from "@skillhold/host";
export { type SkillEntry, SkillError } from "@skillhold/protocol";
