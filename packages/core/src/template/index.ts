export { type InitOptions, type SkillTemplate, skillTemplates } from "@skillhold/skill";
export { initSkill, type NewSkill } from "./init-skill.ts";
