import type { Viewer } from "@skillhold/core/library";

/** One skill of the matrix. Revision 1 fits every runtime; the current revision 2 may target another one. */
export interface Case {
  readonly id: string;
  readonly kind: (typeof kinds)[number];
  readonly agentGrant: (typeof agentGrants)[number];
  readonly userGrant: (typeof userGrants)[number];
  /** The pin in the agent's record. */
  readonly recordPin: (typeof pins)[number];
  readonly isEnabled: boolean;
  readonly status: (typeof statuses)[number];
  readonly isForOtherRuntime: boolean;
}

/** A revision that never existed. */
export const NO_REVISION = 9;
export const OWNER = "ada";
export const GRANTED = { agent: "helper", user: "bob" } as const;
/** An agent whose record limits it to every other skill. */
export const LIMITED = "limited";

const kinds = ["closed", "public", "system"] as const;
const pins = [undefined, 1, NO_REVISION] as const;
const agentGrants = ["none", "plain", 1, NO_REVISION] as const;
const userGrants = ["none", "plain", 1] as const;
const statuses = ["active", "deps", "out of date", "deleted"] as const;

export const cases: readonly Case[] = product();

function product(): readonly Case[] {
  const all: Case[] = [];
  for (const kind of kinds)
    for (const agentGrant of agentGrants)
      for (const userGrant of userGrants)
        for (const recordPin of pins)
          for (const isEnabled of [true, false])
            for (const status of statuses)
              for (const isForOtherRuntime of [false, true]) {
                const id = `case-${String(all.length).padStart(4, "0")}`;
                all.push({
                  id,
                  kind,
                  agentGrant,
                  userGrant,
                  recordPin,
                  isEnabled,
                  status,
                  isForOtherRuntime,
                });
              }
  return all;
}

const isOdd = ({ id }: Pick<Case, "id">) => Number(id.slice("case-".length)) % 2 === 1;
export const limitedTo: readonly string[] = cases.filter(isOdd).map(({ id }) => id);

const { agent, user } = GRANTED;
export const viewers: Readonly<Record<string, Viewer>> = {
  nobody: { runtime: "test" },
  owner: { runtime: "test", user: OWNER },
  "the agent": { runtime: "test", agent },
  "the user": { runtime: "test", user },
  "the agent for the user": { runtime: "test", agent, user },
  "the agent for the owner": { runtime: "test", agent, user: OWNER },
  strangers: { runtime: "test", agent: "other", user: "eve" },
  "the user under the agent's name": { runtime: "test", agent: user, user: agent },
  "a limited agent for the user": { runtime: "test", agent: LIMITED, user },
  "the agent with a list": { runtime: "test", agent, allow: limitedTo },
  "the agent that may use nothing": { runtime: "test", agent, allow: [] },
  "the agent on another runtime": { runtime: "other", agent },
};

export type Expected = { readonly revision: number } | { readonly hidden: string } | undefined;

/** The result that the specification requires, rule by rule; undefined if the skill does not exist. */
export function expectedOf(skill: Case, viewer: Viewer): Expected {
  if (skill.status === "deleted") return undefined;
  if (viewer.allow?.includes(skill.id) === false) return { hidden: "not-allowed" };
  if (viewer.agent === LIMITED && !isOdd(skill)) return { hidden: "not-allowed" };
  if (!skill.isEnabled) return { hidden: "disabled" };
  if (skill.status === "out of date") return { hidden: "archived" };
  const ofAgent = viewer.agent === GRANTED.agent && skill.agentGrant !== "none";
  const ofUser = viewer.user === GRANTED.user && skill.userGrant !== "none";
  const isOpen = skill.kind !== "closed" || viewer.user === OWNER || ofAgent || ofUser;
  if (!isOpen) return { hidden: "no-grant" };
  const held = [
    ofAgent ? skill.agentGrant : undefined,
    ofUser ? skill.userGrant : undefined,
    viewer.agent === GRANTED.agent ? skill.recordPin : undefined,
  ].find((pin) => typeof pin === "number");
  if (held === NO_REVISION) return { hidden: "pin" };
  const revision = held ?? 2;
  const fits = !skill.isForOtherRuntime || revision === 1 || viewer.runtime === "other";
  return fits ? { revision: Number(revision) } : { hidden: "runtime" };
}
