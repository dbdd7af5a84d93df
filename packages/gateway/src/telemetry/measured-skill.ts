import { sessionCatalogue } from "@skillhold/core/session";
import type { GatewayContext } from "../gateway-context.ts";
import type { Measured, MeasuredSkill } from "./gateway-metrics.ts";

type Ports = Pick<GatewayContext, "library" | "skills" | "registry">;

/** Who sees what anyone may. */
const ANYONE = { runtime: "skillhold" } as const;

/** What of the numbers is read from the skills themselves. */
export function measuredSkills(ports: Ports): Pick<Measured, "listSkills" | "countTokens"> {
  const { library, registry } = ports;
  return {
    listSkills: () => listSkills(ports),
    countTokens: async () =>
      (await sessionCatalogue({}, { limits: registry.limits }, ANYONE, library)).tokens,
  };
}

async function listSkills({ library, skills }: Ports): Promise<readonly MeasuredSkill[]> {
  return (await library.survey(ANYONE)).flatMap(({ entry, isVisible, reason }) => {
    const row = skills.held(entry)?.current.skill;
    // One of the registry that has no row was deleted since the look.
    if (row === undefined && entry.revision !== undefined) return [];
    const {
      status,
      isEnabled,
      missing: { length: missing },
    } = row ?? {
      status: "active",
      isEnabled: reason !== "disabled",
      missing: [],
    };
    return [{ id: entry.id, isPublic: isVisible, status, isEnabled, missing }];
  });
}
