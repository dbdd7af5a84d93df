import type { SkillEntry } from "@skillhold/protocol";
import type { SkillRow } from "@skillhold/protocol/http";
import { type FrontmatterMap, type Host, readinessOf, readOpenclaw } from "@skillhold/skill";

/** What is true of every entry of a gateway, whatever it says. */
export interface EntryMaking {
  /** The label that the host gave it, as a source. */
  readonly source: string;
  /** What paths of routes are joined to. */
  readonly base: URL;
  readonly host: Host;
}

/**
 * A skill of a gateway as it is here: of the source that the host named, a stranger's, and as ready as this machine is
 * for it. Undefined when the gateway says that it is not there for the one who asks.
 */
export function toRemoteEntry(
  { entry, access }: SkillRow,
  { source, base, host }: EntryMaking,
): SkillEntry | undefined {
  if (!access.isVisible) return undefined;
  const { id, requires, file: _, ...said } = entry;
  // JSON's types are those of frontmatter.
  const { os } = readOpenclaw({ metadata: said.metadata as FrontmatterMap });
  return {
    ...said,
    id,
    requires,
    source,
    trust: "third_party",
    path: new URL(`./v1/skills/${id}`, base).href,
    readiness: readinessOf({ requires, os }, host, id),
  };
}
