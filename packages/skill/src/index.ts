export {
  compileIgnoreRules,
  IGNORE_FILE_BYTES,
  IGNORE_FILES,
  type IgnoreFile,
  type IgnoreReason,
  type IgnoreRules,
  isOmitted,
  rejectIgnoreFile,
  USE_IGNORE_FILES,
} from "./bundle/ignore-rule.ts";
export { isJunk, isLeftover } from "./bundle/junk.ts";
export { findImports, findMentions, findNamed, type Mentions, resolveMentions } from "./bundle/mention.ts";
export { comparePaths, findPathProblem, foldName } from "./bundle/path-name.ts";
export { type FileRole, fileRole, isResource } from "./bundle/role.ts";
export { findSkillFiles, isSkillFile, SKILL_FILE } from "./bundle/skill-file.ts";
export { isToolFile, skillType, synthesizeSkillText } from "./bundle/skill-type.ts";
export { type FileDigest, treeHashInput } from "./bundle/tree-hash.ts";
export { checkSkillFileName } from "./check/skill-file-name.ts";
export { standardFields } from "./check/standard.ts";
export type { Subject, SubjectFile } from "./check/subject.ts";
export { judge, type Validation, validateSkill, validateText } from "./check/validate.ts";
export { declaredExamples, type Example, type ExampleSelection, selectExamples } from "./field/example.ts";
export { type FolderId, folderId, isSkillId, publishId, reservedIds, slugify } from "./field/identity.ts";
export { type LinkList, type ReferenceLink, readLinks } from "./field/link.ts";
export {
  type Host,
  type InstallStep,
  isAboutProgram,
  type Openclaw,
  readinessOf,
  readOpenclaw,
} from "./field/openclaw.ts";
export {
  ANY_RUNTIME,
  authorVersion,
  fitsRuntime,
  isSemver,
  listRuntimeSkips,
  type RuntimeList,
  readRuntime,
  runtimeSkipLine,
} from "./field/runtime.ts";
export { argumentNames, type Substitution, splitWords, substitute } from "./field/substitute.ts";
export { cutAtFences, type FencedText } from "./parse/fence.ts";
export {
  bodyLine,
  fieldPosition,
  findFixLoss,
  fixText,
  type ParsedSkill,
  parseSkill,
} from "./parse/parse.ts";
export {
  escapeXml,
  type PromptSkill,
  propertiesOf,
  referencePrompt,
  type SkillProperties,
  scalarText,
} from "./parse/reference-format.ts";
export { composeSkill, withBody, withDescription } from "./parse/rewrite.ts";
export { type NativeProposal, readDialect } from "./proposal/dialect.ts";
export { type Repair, type RepairEdit, repairFrontmatter } from "./repair/repair.ts";
export type { Finding } from "./rule/finding.ts";
export {
  type Profile,
  profiles,
  type Rule,
  type RuleCode,
  ruleTable,
  severityOf,
} from "./rule/rule-table.ts";
export { type InitOptions, newSkillFiles } from "./template/new-skill.ts";
export { type SkillTemplate, skillTemplates, type TemplateFile } from "./template/skill-template.ts";
export { codePointLength, countLines, type Position } from "./text/text.ts";
export { estimateTokens } from "./text/token.ts";
export {
  type AllowedTools,
  type Argv,
  type CommandPattern,
  defaultAliases,
  familyOf,
  findPinProblem,
  isInnerGlob,
  matchCommand,
  matchesPath,
  type NamedPattern,
  type PathPlaces,
  parseAllowedTools,
  readArgv,
  readCommandLine,
  splitAllowedTools,
  type ToolAlias,
  type ToolAliases,
  type ToolPattern,
} from "./tool-grant/index.ts";
export { type FrontmatterMap, type FrontmatterValue, isMap, textList, textOf } from "./yaml/value.ts";
export { readYaml } from "./yaml/yaml.ts";
