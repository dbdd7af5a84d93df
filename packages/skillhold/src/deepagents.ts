export {
  type DeepSkills,
  type DeepSkillsOptions,
  deepSkills,
  name,
  names,
  SkillBackend,
} from "@skillhold/adapters/deepagents";
