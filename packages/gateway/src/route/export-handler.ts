import { SkillError } from "@skillhold/protocol/error";
import { type Limits, limitTable } from "@skillhold/protocol/limits";
import { type ExportFormat, exportSkills as exportFrom } from "@skillhold/registry/exchange";
import { isSkillId } from "@skillhold/skill";
import { isAdministrator, type Principal } from "../auth/principal.ts";
import { requestViewer } from "../auth/viewer.ts";
import { sha256Of, unsharedBytes } from "../bytes.ts";
import type { Call, Handlers } from "../http/handler.ts";
import type { RunningContext } from "../running-context.ts";
import { canManage, type DisclosedSkill, getDisclosedSkill, isOverseer } from "../skill/disclosed-skill.ts";
import { attachment } from "../skill/file-response.ts";

/** An export is built in memory. */
const MAX_EXPORT_BYTES = 256 * 1024 * 1024;

/** The limits for an administrator's export, which may contain the whole registry. */
export function exportLimits(limits: Limits): Limits {
  return {
    ...limits,
    archiveSkills: limitTable.archiveSkills.max,
    bundleFiles: limitTable.bundleFiles.max,
    unpackedBytes: Math.max(limits.unpackedBytes, MAX_EXPORT_BYTES),
    archiveBytes: Math.max(limits.archiveBytes, MAX_EXPORT_BYTES),
  };
}

/** The current revisions of skills as one archive. Grants are included for skills that the caller manages. */
export const exportHandler: Handlers["exportSkills"] = async (call, context) => {
  const { principal, query } = call;
  const { format = "zip" } = query;
  const chosen =
    query.skills === undefined ? await listOwn(principal, context) : await listNamed(call, context);
  const isManaged = new Map<string, boolean>(chosen.map((each) => [each.id, each.canManage]));
  const { registry } = context;
  const limits = isAdministrator(principal) ? exportLimits(registry.limits) : registry.limits;
  const tellsGrants = ({ id }: { readonly id: string }) => isManaged.get(id) === true;
  const exported = await exportFrom([...isManaged.keys()], format, { ...registry, limits, tellsGrants });
  const { archive, skills } = exported;
  const digest = sha256Of(archive);
  const bytes = archive.length;
  return {
    bytes: unsharedBytes(archive),
    type: format === "tar.gz" ? "application/gzip" : "application/zip",
    headers: { "content-disposition": attachment(fileName(format)), "content-length": String(bytes) },
    served: skills.map(({ id, revision, treeHash }) => {
      return { skill: id, hash: treeHash, revision, digest, bytes };
    }),
  };
};

interface ChosenSkill {
  readonly id: string;
  readonly canManage: boolean;
}

function fileName(format: ExportFormat): string {
  return format === "tar.gz" ? "skills.tar.gz" : "skills.zip";
}

/** All skills of the caller, without the system skills, which every registry has. */
async function listOwn(principal: Principal, context: RunningContext): Promise<readonly ChosenSkill[]> {
  const viewer = await requestViewer(principal, {}, context);
  return (await context.skills.survey(viewer)).flatMap(({ entry, isVisible }) => {
    const held = context.skills.findSnapshot(entry);
    if (held === undefined || held.current.skill.isSystem) return [];
    const isTheirs = isOverseer(held, principal);
    const isCurrent = isVisible && entry.revision === held.current.skill.revision;
    return isTheirs || isCurrent ? [{ id: entry.id, canManage: canManage(held, principal) }] : [];
  });
}

async function listNamed(
  { principal, query }: Call<"exportSkills">,
  context: RunningContext,
): Promise<readonly ChosenSkill[]> {
  const keys = (query.skills ?? "").split(",").map((key) => key.trim());
  const chosen: ChosenSkill[] = [];
  for (const key of keys) {
    if (!isSkillId(key))
      throw new SkillError("USAGE", "`skills` must be skill ids separated by commas.", {
        hint: "Write `skills=pdf,docx`, or leave it out to export all.",
      });
    const skill = await getDisclosedSkill(key, { principal }, context);
    rejectUnexportable(skill);
    chosen.push({ id: skill.access.entry.id, canManage: skill.canManage });
  }
  return chosen;
}

/** An export contains current revisions, which a caller who is pinned to another one may not have. */
function rejectUnexportable({ held, access, pin, key }: DisclosedSkill): void {
  if (held === undefined)
    throw new SkillError(
      "CONFLICT",
      `The skill ${key} is in a folder of the gateway and cannot be exported.`,
      {
        hint: "GET /v1/skills/{id}/archive returns it as an archive.",
      },
    );
  if (pin === undefined || pin === held.current.skill.revision) return;
  throw new SkillError("POLICY_DENIED", `You are pinned to revision ${access.entry.revision} of ${key}.`, {
    hint: "GET /v1/skills/{id}/archive returns that revision as an archive.",
  });
}
