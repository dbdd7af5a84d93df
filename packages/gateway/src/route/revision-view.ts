import type { Provenance } from "@skillhold/protocol";
import type { Revision } from "@skillhold/registry/record";
import type { KnownSkill } from "./known-skill.ts";

/** A revision as it is told to someone who may have it. */
export function revisionView(found: Revision, { held, canManage }: KnownSkill) {
  const { revision, treeHash, skillHash, version, record, trust, provenance, bytes, files } = found;
  const { createdAt, purgedAt } = found;
  return {
    revision,
    isCurrent: held?.current.skill.revision === revision,
    treeHash,
    skillHash,
    ...(version === undefined ? {} : { version }),
    name: record.name,
    description: record.description,
    trust,
    provenance: canManage ? provenance : toldProvenance(provenance),
    bytes,
    files,
    createdAt,
    ...(purgedAt === undefined ? {} : { purgedAt }),
  };
}

/** By which agent, and from which file or folder of theirs, is for those who manage the skill. */
function toldProvenance({ origin: _, by: { user, role }, ...rest }: Provenance): Provenance {
  return { ...rest, by: { user, role } };
}
