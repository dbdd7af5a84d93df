export { type InitOptions, initSkill, type NewSkill } from "./init-skill.ts";
export { type SkillTemplate, skillTemplates } from "./skill-template.ts";
