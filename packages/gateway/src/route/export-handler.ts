import { SkillError } from "@skillhold/protocol/error";
import { type ExportFormat, exportSkills as exportFrom } from "@skillhold/registry/exchange";
import { isSkillId } from "@skillhold/skill";
import { isAdministrator, type Principal } from "../auth/principal.ts";
import { viewerOf } from "../auth/viewer.ts";
import { digestOf } from "../digest.ts";
import type { Call, Reply } from "../http/handler.ts";
import { ownMemory } from "../http/own-memory.ts";
import type { RunningContext } from "../running-context.ts";
import { exchangeLimits } from "./exchange-limit.ts";
import { attachment } from "./file-answer.ts";
import { canManage, getKnown, isOverseer, type KnownSkill } from "./known-skill.ts";
import { recordStillServed } from "./served.ts";

/** Skills as one archive: what the caller may have of what counts. Grants are told to those who manage the skill. */
export async function exportSkills(
  call: Call<"exportSkills">,
  context: RunningContext,
): Promise<Reply<"exportSkills">> {
  const { principal, query } = call;
  const { format = "zip" } = query;
  const chosen =
    query.skills === undefined ? await listOwn(principal, context) : await listNamed(call, context);
  const isManaged = new Map<string, boolean>(chosen.map((each) => [each.id, each.canManage]));
  const { registry } = context;
  const limits = isAdministrator(principal) ? exchangeLimits(registry.limits) : registry.limits;
  const tellsGrants = ({ id }: { readonly id: string }) => isManaged.get(id) === true;
  const asked = { ...registry, limits, tellsGrants };
  const { archive, skills } = await exportFrom([...isManaged.keys()], format, asked);
  const digest = digestOf(archive);
  const bytes = archive.length;
  const served = skills.map(({ id, revision, treeHash }) => ({
    skill: id,
    hash: treeHash,
    revision,
    digest,
    bytes,
  }));
  await recordStillServed(call, served, context);
  return {
    bytes: ownMemory(archive),
    type: format === "tar.gz" ? "application/gzip" : "application/zip",
    headers: { "content-disposition": attachment(fileName(format)), "content-length": String(bytes) },
  };
}

interface Chosen {
  readonly id: string;
  readonly canManage: boolean;
}

function fileName(format: ExportFormat): string {
  return format === "tar.gz" ? "skills.tar.gz" : "skills.zip";
}

/** What comes with the product is in every registry, and not in an export of all. */
async function listOwn(principal: Principal, context: RunningContext): Promise<readonly Chosen[]> {
  const viewer = await viewerOf(principal, {}, context);
  return (await context.skills.survey(viewer)).flatMap(({ entry, isVisible }) => {
    const held = context.skills.held(entry);
    if (held === undefined || held.current.skill.isSystem) return [];
    const isTheirs = isOverseer(held, principal);
    const isCurrent = isVisible && entry.revision === held.current.skill.revision;
    return isTheirs || isCurrent ? [{ id: entry.id, canManage: canManage(held, principal) }] : [];
  });
}

async function listNamed(
  { principal, query }: Call<"exportSkills">,
  context: RunningContext,
): Promise<readonly Chosen[]> {
  const keys = (query.skills ?? "").split(",").map((key) => key.trim());
  const chosen: Chosen[] = [];
  for (const key of keys) {
    if (!isSkillId(key))
      throw new SkillError("USAGE", "skills must be ids with commas between.", {
        hint: "Write them as `skills=pdf,docx`, or leave it out for all.",
      });
    const known = await getKnown(key, { principal }, context);
    rejectUnexported(known);
    chosen.push({ id: known.access.entry.id, canManage: known.canManage });
  }
  return chosen;
}

/** An export has what counts: one who is held to another revision may not have that. */
function rejectUnexported({ held, access, pin, key }: KnownSkill): void {
  if (held === undefined)
    throw new SkillError("CONFLICT", `The skill ${key} lies in a folder of the gateway's.`, {
      hint: "GET /v1/skills/{id}/archive gives it as an archive.",
    });
  if (pin === undefined || pin === held.current.skill.revision) return;
  throw new SkillError("POLICY_DENIED", `You are held to revision ${access.entry.revision} of ${key}.`, {
    hint: "GET /v1/skills/{id}/archive gives that revision as an archive.",
  });
}
