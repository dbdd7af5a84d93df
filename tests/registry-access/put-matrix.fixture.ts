import { skill as skillText } from "@skillhold/core/test/library/library.contract";
import type { Grant, Grantee, RegistryStore, RegistryTransaction } from "@skillhold/registry/record";
import { type GivenSkill, putSkills } from "../registry-library/put-skills.ts";
import { type Case, cases, GRANTED, LIMITED, limitedTo, OWNER } from "./matrix.fixture.ts";

const at = "2026-01-01T00:00:00.000Z";

/** Puts the whole matrix and its agents into an empty store. */
export async function putMatrix(store: RegistryStore): Promise<void> {
  for (const number of [1, 2] as const)
    await putSkills(
      cases.map((each) => textOf(each, number)),
      store,
      { hasOneEvent: true },
    );
  const pins = cases.flatMap(({ id, recordPin }) =>
    recordPin === undefined ? [] : [[id, recordPin] as const],
  );
  await store.transaction(async (tx) => {
    await putAgent(GRANTED.agent, { pins: Object.fromEntries(pins) }, tx);
    await putAgent(LIMITED, { allow: limitedTo }, tx);
    for (const each of cases) await settle(each, tx);
  });
}

function textOf({ id, isForOtherRuntime }: Case, number: 1 | 2): GivenSkill {
  const runtime = number === 2 && isForOtherRuntime ? "\nruntime: other" : "";
  const { files, folder } = skillText(
    id,
    `description: Matrix ${id}, text ${number}.${runtime}`,
    bodyOf(number),
  );
  const script = "cat references/number.md";
  return { folder, files: { ...files, "references/number.md": `${number}`, "scripts/tell.sh": script } };
}

export function bodyOf(revision: number): string {
  return `This is text ${revision}.\n`;
}

async function putAgent(
  key: string,
  fields: { readonly allow?: readonly string[]; readonly pins?: Readonly<Record<string, number>> },
  tx: RegistryTransaction,
): Promise<void> {
  const { allow, pins = {} } = fields;
  const times = { createdAt: at, updatedAt: at, removedAt: undefined };
  const names = { uid: `uid-${key}`, key, displayName: key, runtime: "test", owner: "root" };
  await tx.putAgent({ ...names, allow, pins, manifest: undefined, ...times });
}

async function settle(each: Case, tx: RegistryTransaction): Promise<void> {
  const row = await tx.findSkill(each.id);
  if (row === undefined) throw new Error(`${each.id} is not there`);
  const grants = [
    ...grantOf(row.uid, { kind: "agent", key: GRANTED.agent }, each.agentGrant),
    ...grantOf(row.uid, { kind: "user", key: GRANTED.user }, each.userGrant),
  ];
  for (const grant of grants) await tx.putGrant(grant);
  const { kind, status, isEnabled } = each;
  const closed = grants.length > 0 ? "internal" : "private";
  await tx.putSkill({
    ...row,
    owner: OWNER,
    isSystem: kind === "system",
    visibility: kind === "closed" ? closed : "public",
    isEnabled,
    status: status === "active" || status === "deleted" ? status : "archived",
    reason: status === "active" || status === "deleted" ? undefined : status,
    deletedAt: status === "deleted" ? at : undefined,
  });
}

function grantOf(skill: string, grantee: Grantee, given: Case["agentGrant"]): readonly Grant[] {
  if (given === "none") return [];
  const pin = given === "plain" ? undefined : given;
  return [{ skill, grantee, canManage: false, pin, grantedBy: OWNER, at }];
}
