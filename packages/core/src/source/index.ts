export { discoverSources } from "./discover.ts";
export { toEntry } from "./entry.ts";
export { findSkillFolders } from "./find-skills.ts";
export { isExecutable, nodeHost } from "./node-host.ts";
export { type OpenedSkill, openSkill } from "./open-skill.ts";
export { GATEWAY_PREFIX, originOf, REMOTE_PREFIX, remoteIdentity, SERVER_MARK } from "./origin.ts";
export { recordSkill, type SkillRecord } from "./record.ts";
export { orderSources, type Precedence, type Source, type SourceKind, sourceRank } from "./source.ts";
export { surveyBundle, surveyLinks, surveySkill } from "./survey.ts";
