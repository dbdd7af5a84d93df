import type { UsageCount } from "@skillhold/core/audit";
import type { SkillMetrics } from "@skillhold/protocol/http";

/** Numbers as they are sent: what is not known is left out. */
export function metricView({ revision, durationMs, lastUsedAt, ...counts }: UsageCount): SkillMetrics {
  return {
    ...counts,
    ...(revision === undefined ? {} : { revision }),
    ...(durationMs === undefined ? {} : { durationMs }),
    ...(lastUsedAt === undefined ? {} : { lastUsedAt }),
  };
}
