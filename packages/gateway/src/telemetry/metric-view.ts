import type { SkillMetrics } from "@skillhold/protocol/http";
import type { UsageCount } from "@skillhold/registry/audit";

/** Numbers as they are sent: what is not known is left out. */
export function metricView({ revision, durationMs, lastUsedAt, ...counts }: UsageCount): SkillMetrics {
  return {
    ...counts,
    ...(revision === undefined ? {} : { revision }),
    ...(durationMs === undefined ? {} : { durationMs }),
    ...(lastUsedAt === undefined ? {} : { lastUsedAt }),
  };
}
