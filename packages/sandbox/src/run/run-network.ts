import type { Network, RunPorts } from "@skillhold/core/run";
import { allowedByManifest, type CapabilityManifest, emptyManifest } from "@skillhold/skill/guard";
import type { SkillCopy } from "./staged-skill.ts";

/** The network of a run: at most what the skill's capability manifest names and the caller asks for. */
export interface RunNetwork {
  /** The network that was asked for, which the policy judges. */
  readonly asked: Network;
  /** The hosts that the run gets. */
  readonly granted: Network;
  /** Granted hosts that the manifest does not name. Each needs a person's approval. */
  readonly undeclared: readonly string[];
}

/**
 * An open network is narrowed to the hosts of the manifest. Listed hosts stay, and those beside the manifest are
 * marked. `network.dynamic` grants no host by itself. Without a manifest, no host is declared.
 */
export async function grantNetwork(
  asked: Network,
  { content, folder }: SkillCopy,
  { capabilities }: Pick<RunPorts, "capabilities">,
): Promise<RunNetwork> {
  if (asked === "none") return { asked, granted: "none", undeclared: [] };
  const copy = { id: content.entry.id, treeHash: content.treeHash, folder };
  const manifest = (await capabilities?.(copy)) ?? emptyManifest("none");
  if (asked === "open") return { asked, granted: { hosts: manifest.network.hosts }, undeclared: [] };
  const undeclared = asked.hosts.filter((host) => !isDeclared(host, manifest));
  return { asked, granted: asked, undeclared };
}

function isDeclared(host: string, manifest: CapabilityManifest): boolean {
  return allowedByManifest(manifest, { kind: "host", host: host.replace(/:\d+$/, "") }).isAllowed;
}

/** The manifest line that would allow a host. */
export function missingLine(host: string): string {
  return `network.hosts ${host}`;
}

/** The sentence for a run that asked for hosts beside its network. */
export function describeRefused(skill: string, hosts: readonly string[]): string {
  const lines = hosts.map(
    (host) =>
      `skillhold: refused ${host}: the capability manifest of ${skill} has no line "${missingLine(host)}".\n`,
  );
  return lines.join("");
}
