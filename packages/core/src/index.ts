export {
  type Bundle,
  type BundleFile,
  findSkillFolders,
  hashSkillFile,
  normalizeRelative,
  type Omission,
  openInside,
  pack,
  readBounded,
  treeHash,
} from "./bundle/index.ts";
export { type OpenedSkill, openSkill } from "./source/open-skill.ts";
export { surveySkill } from "./source/survey.ts";
