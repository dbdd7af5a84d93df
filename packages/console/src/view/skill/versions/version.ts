import type { Answer } from "../../../api/client.ts";

export type Version = Answer<"GET /v1/skills/{id}/versions">["versions"][number];
export type SkillDiff = Answer<"GET /v1/skills/{id}/diff">;

export interface Pair {
  readonly from: number;
  readonly to: number;
}

type Known = Pick<Version, "revision" | "isCurrent" | "purgedAt">;

/** The default comparison: the current revision with the one before it. */
export function defaultPair(versions: readonly Known[]): Pair | undefined {
  const there = versions.filter(({ purgedAt }) => purgedAt === undefined);
  const sorted = there.map(({ revision }) => revision).toSorted((a, b) => a - b);
  const current = there.find(({ isCurrent }) => isCurrent)?.revision ?? sorted.at(-1);
  if (current === undefined || sorted.length < 2) return undefined;
  const before = sorted.findLast((revision) => revision < current);
  // When the first revision is current, compare it with the next one.
  if (before === undefined) return { from: current, to: sorted[1] ?? current };
  return { from: before, to: current };
}

const sources: Readonly<Record<Version["provenance"]["source"], string>> = {
  folder: "folder",
  archive: "archive",
  seed: "ships with Skillhold",
  import: "import",
  agent: "agent",
  git: "git",
  index: "index",
  registry: "registry",
  url: "download",
  clawhub: "ClawHub",
  npm: "npm",
  oci: "OCI registry",
  gateway: "gateway",
  proposal: "proposal",
  promotion: "promoted by its agent",
};

/** Where a revision came from, in a few words. */
export function sourceOf({ source, origin, ref }: Version["provenance"]): string {
  const name = origin === undefined || source === "seed" ? "" : ` ${origin}`;
  return `${sources[source]}${name}${ref === undefined ? "" : ` at ${ref}`}`;
}
