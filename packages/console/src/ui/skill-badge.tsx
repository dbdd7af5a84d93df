import type { SkillRow } from "@skillhold/protocol/http";
import { Badge, type Tone } from "./badge.tsx";
import { trustReasons } from "./trust-reason.ts";

const tones: Readonly<Record<SkillRow["entry"]["trust"], Tone>> = {
  builtin: "accent",
  org: "info",
  user: "neutral",
  third_party: "warn",
};

export function TrustBadge({ trust }: { readonly trust: SkillRow["entry"]["trust"] }) {
  return (
    <Badge tone={tones[trust]} title={`Trust ${trust}: ${trustReasons[trust]}`}>
      {trust}
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
