import type { SkillRow } from "@skillhold/protocol/http";
import { Badge, type Tone } from "./badge.tsx";

const trusts: Readonly<Record<SkillRow["entry"]["trust"], readonly [Tone, string, string]>> = {
  builtin: ["accent", "core", "It comes with Skillhold"],
  org: ["info", "team", "An administrator published it"],
  user: ["neutral", "own", "A publisher's own skill"],
  third_party: ["warn", "third party", "It came from elsewhere, and runs with the least rights"],
};

export function TrustBadge({ trust }: { readonly trust: SkillRow["entry"]["trust"] }) {
  const [tone, text, title] = trusts[trust];
  return (
    <Badge tone={tone} title={title}>
      {text}
    </Badge>
  );
}

/** What someone should know before they count on a skill; nothing when all is well. */
export function SkillBadges({ row }: { readonly row: SkillRow }) {
  const { entry, registry } = row;
  const missing = registry?.missing ?? [];
  return (
    <>
      {registry?.status === "archived" && (
        <Badge title={registry.reason ?? "Archived"}>
          {registry.reason === "deps" ? "archived: deps" : "archived"}
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
            registry.visibility === "private" ? "Only its owner sees it" : "Those see it whom it was granted"
          }
        >
          {registry.visibility}
        </Badge>
      )}
    </>
  );
}
