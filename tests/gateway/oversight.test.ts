import { getVisibleSkill } from "@skillhold/cli/test/visible-skill";
import type { Actor, Role } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { grantSkill, listGrants, oversees } from "@skillhold/registry/access";
import { deleteSkill } from "@skillhold/registry/release";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { TestGateway } from "./gateway.fixture.ts";
import { ada, asker, engines, openOn, put } from "./skill.fixture.ts";

const people: readonly (readonly [string, Role, boolean])[] = [
  ["ada", "publisher", true],
  ["ada", "viewer", false],
  ["bob", "publisher", true],
  ["eve", "publisher", false],
  ["joe", "publisher", false],
  ["root", "admin", true],
];

describe.each(engines)("oversight of a skill on %s", (engine) => {
  let gateway: TestGateway;
  beforeEach(async () => {
    gateway = await openOn(engine);
    await put(gateway, "own");
    const { registry } = gateway.context;
    await grantSkill("own", { kind: "user", key: "bob" }, { by: ada, canManage: true }, registry);
    await grantSkill("own", { kind: "user", key: "eve" }, { by: ada }, registry);
  });
  afterEach(() => gateway.close());

  /** Whether the registry, the command line and the gateway let a person oversee the skill. */
  async function answers(by: Actor, role: Role) {
    const { registry } = gateway.context;
    const skill = await registry.store.findSkill("own");
    if (skill === undefined) throw new Error("own is not stored");
    const found = async (work: Promise<unknown>) =>
      await work.then(
        () => true,
        (error: unknown) => {
          if (error instanceof SkillError && error.code === "SKILL_NOT_FOUND") return false;
          throw error;
        },
      );
    const ask = asker(gateway, await gateway.asRole(role, by.user));
    const io = { env: {}, cwd: "/" };
    return {
      rule: oversees(skill, await registry.store.listGrants([skill.uid]), by),
      registry: await found(listGrants("own", { by }, registry)),
      cli: await getVisibleSkill("own", { context: registry, actor: by }, io).then(
        ({ isManaged }) => isManaged,
        () => false,
      ),
      gateway: (await ask("GET", "/v1/skills/own/grants")).status === 200,
    };
  }

  test.each(people)(
    "is the same for %s as %s in all places, also when it is deleted [S-43]",
    async (user, role, is) => {
      const by: Actor = { user, role };
      const same = { rule: is, registry: is, cli: is, gateway: is };
      expect(await answers(by, role)).toEqual(same);
      await deleteSkill("own", { by: ada }, gateway.context.registry);
      expect(await answers(by, role)).toMatchObject({ rule: is, registry: is, cli: is });
    },
  );
});
