import type { SkillRow } from "@skillhold/protocol/http";
import { Badge, type Tone } from "./badge.tsx";

const trusts: Readonly<Record<SkillRow["entry"]["trust"], readonly [Tone, string, string]>> = {
  builtin: ["accent", "core", "Ships with Skillhold"],
  org: ["info", "team", "Published by an administrator"],
  user: ["neutral", "own", "Published by a user for themselves"],
  third_party: ["warn", "third party", "From outside; runs with the fewest rights"],
};

export function TrustBadge({ trust }: { readonly trust: SkillRow["entry"]["trust"] }) {
  const [tone, text, title] = trusts[trust];
  return (
    <Badge tone={tone} title={title}>
      {text}
    </Badge>
  );
}

/** Badges for the problems and restrictions of a skill; empty when it has no problems. */
export function SkillBadges({ row }: { readonly row: SkillRow }) {
  const { entry, registry } = row;
  const missing = registry?.missing ?? [];
  return (
    <>
      {registry?.status === "archived" && (
        <Badge title={registry.reason === "deps" ? "Until its dependencies are installed" : registry.reason}>
          archived
        </Badge>
      )}
      {registry?.enabled === false && <Badge>disabled</Badge>}
      {missing.length > 0 && (
        <Badge tone="bad" title={missing.join(", ")}>
          {missing.length} missing
        </Badge>
      )}
      {missing.length === 0 && entry.readiness.state !== "ready" && (
        <Badge tone="warn" title={entry.readiness.reasons.join("; ")}>
          {entry.readiness.state}
        </Badge>
      )}
      {registry !== undefined && registry.visibility !== "public" && (
        <Badge
          title={
            registry.visibility === "private"
              ? "Only its owner can see it"
              : "Only its owner and those with a grant can see it"
          }
        >
          {registry.visibility}
        </Badge>
      )}
    </>
  );
}
