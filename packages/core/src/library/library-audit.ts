import type { SkillEvent } from "@skillhold/protocol";
import { type AuditSink, type Clock, recordAll } from "../port.ts";
import type { FolderRow } from "../source/scan-row.ts";
import type { FolderView } from "./folder-view.ts";
import type { ShadowedSkill } from "./shelf.ts";

export interface LibraryPorts {
  /** Records new and shadowed skills; optional. */
  readonly audit?: AuditSink | undefined;
  readonly clock: Clock;
}

/** Records the results of a scan: skills with new content and shadowed skills. */
export async function recordDiscovery(
  before: FolderView,
  after: FolderView,
  fresh: ReadonlySet<FolderRow>,
  { audit, clock }: { readonly audit: AuditSink; readonly clock: Clock },
): Promise<void> {
  const at = clock.now().toISOString();
  const events: SkillEvent[] = [];
  for (const { id, row } of after.places()) {
    const entry = fresh.has(row) ? after.find(id) : undefined;
    if (entry === undefined) continue;
    const { skillHash, source, trust, path } = entry;
    events.push({ type: "skill.discovered", at, skill: entry.id, skillHash, source, trust, path });
  }
  const known = new Set(before.shadowed.map(nameOf));
  for (const shadowed of after.shadowed) {
    if (known.has(nameOf(shadowed))) continue;
    const { id, source, path, by } = shadowed;
    events.push({ type: "skill.shadowed", at, skill: asId(id), source, path, by });
  }
  await recordAll(audit, events);
}

function nameOf({ path, by }: ShadowedSkill): string {
  return `${path}\0${by.path}`;
}

/** Contract: the id comes from `folderId`. */
function asId(id: string): Extract<SkillEvent, { type: "skill.shadowed" }>["skill"] {
  return id as Extract<SkillEvent, { type: "skill.shadowed" }>["skill"];
}
