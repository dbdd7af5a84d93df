export { type AiSkills, type AiSkillsOptions, aiSkills, name } from "@skillhold/adapters/ai";
