export { initSkill, type NewSkill } from "./init-skill.ts";
