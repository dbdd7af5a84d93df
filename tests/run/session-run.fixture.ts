import { openSession, type RunPorts, type SessionOptions } from "@skillhold/core";
import {
  type FixtureSkill,
  fixtureLibrary,
  fixturePorts,
  skill,
} from "@skillhold/core/test/session/session.fixture";
import type { SkillEvent } from "@skillhold/protocol";
import { fixtureRuns } from "@skillhold/sandbox/test/run/run.fixture";

/** A session that runs what its skills bring along, in a real sandbox. */
export async function openRunning(
  skills: readonly FixtureSkill[],
  runs: Partial<RunPorts> = {},
  options: SessionOptions = {},
) {
  const library = fixtureLibrary(skills);
  const ports = { ...fixturePorts(), runs: fixtureRuns(runs) };
  const session = await openSession(library, { runtime: "test", agent: "writer" }, ports, options);
  return { session, library, events: ports.events, ports };
}

export const typesOf = (events: readonly SkillEvent[]) => events.map(({ type }) => type);

/** A skill that the policy lets run without asking. */
export const org = (files: Record<string, string>, yaml = "") => skill("demo", { yaml, files, trust: "org" });
