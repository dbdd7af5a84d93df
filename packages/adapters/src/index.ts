export { approve, refuse, type SessionProvider, type SkillAnswer, type SkillQuestion } from "./skill-kit.ts";
