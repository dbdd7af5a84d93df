export { agentPublisher, filePublisher } from "./agent-publisher.ts";
export {
  diffRevisions,
  diffStaged,
  diffTrees,
  type FileChange,
  type SkillDiff,
  type TreeDiff,
  type TreeDiffs,
} from "./diff.ts";
export { editSkill, type SkillEdit } from "./edit.ts";
export { type GuardHookPorts, guardHook } from "./guard-hook.ts";
export { capabilityDiff, getGuardReport, rescanSkills, waiveFinding } from "./guards.ts";
export { copyRevision, materialise, revisionFolder } from "./materialise.ts";
export { type PublishFolderOptions, publishFolder, publishStaged } from "./publish.ts";
export { publishArchive } from "./publish-archive.ts";
export { type Purged, purgeSkill } from "./purge.ts";
export { deleteSkill, restoreSkill } from "./remove.ts";
export { getRevision, getSkill, listRevisions, readRevisionFile, revisionFiles } from "./revisions.ts";
export { rollback } from "./rollback.ts";
export { settleMissing } from "./settle.ts";
export { findSkillFile } from "./skill-file.ts";
export { stageFolder } from "./stage.ts";
export { sweepStore } from "./sweep.ts";
