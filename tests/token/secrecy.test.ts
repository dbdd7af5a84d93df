import { hash } from "node:crypto";
import { addAgent } from "@skillhold/registry/access";
import {
  authenticateToken,
  type IssuedToken,
  issueToken,
  listTokens,
  revokeToken,
  useSignIn,
} from "@skillhold/registry/token";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { admin, engines, openScene, type Scene } from "../registry/scene.ts";

type Step =
  | {
      readonly act: "issue";
      readonly kind: "api" | "sign-in";
      readonly name: string;
      readonly isAgent: boolean;
    }
  | { readonly act: "use" | "revoke" | "authenticate" | "misuse"; readonly which: number };

const which = fc.nat({ max: 9 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    act: fc.constant("issue" as const),
    kind: fc.constantFrom("api" as const, "sign-in" as const),
    name: fc.string({ minLength: 1, maxLength: 20 }),
    isAgent: fc.boolean(),
  }),
  fc.record({ act: fc.constantFrom("use" as const, "revoke", "authenticate", "misuse"), which }),
);

describe.each(engines)("the secrets of tokens on %s", (engine) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(engine);
    await addAgent({ key: "writer", runtime: "x" }, { by: admin }, scene.context);
  });
  afterAll(() => scene.close());

  test("no event, list or error contains a secret or its hash, whatever is done [S-53] [S-62]", async () => {
    const numRuns = engine === "sqlite" ? 40 : 10;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const issued: IssuedToken[] = [];
        const said: unknown[] = [];
        for (const each of steps) said.push(await perform(each, issued));
        const { store } = scene.context;
        const shown = JSON.stringify([
          said,
          issued.map(({ token }) => token),
          await listTokens(scene.context),
          await scene.events(),
          await store.auditAfter(0, 100_000),
          await store.findHead(),
        ]);
        for (const { secret } of issued) {
          expect(shown).not.toContain(secret.slice(4));
          expect(shown).not.toContain(hash("sha256", secret, "hex"));
        }
      }),
      { numRuns },
    );
  });

  /** The output visible to others than the bearer; secrets are collected separately. */
  async function perform(each: Step, issued: IssuedToken[]): Promise<unknown> {
    const { context } = scene;
    const keep = ({ token, secret }: IssuedToken) => {
      issued.push({ token, secret });
      return token;
    };
    try {
      if (each.act === "issue") {
        const spec = { kind: each.kind, name: each.name, role: each.isAgent ? "agent" : "admin" } as const;
        const agent = each.isAgent ? { agent: "writer" } : {};
        return keep(await issueToken({ ...spec, ...agent }, { by: admin }, context));
      }
      const chosen = issued[each.which % Math.max(1, issued.length)];
      if (chosen === undefined) return undefined;
      const { token, secret } = chosen;
      if (each.act === "use") return keep(await useSignIn(secret, context));
      if (each.act === "revoke") return await revokeToken(token.id, { by: admin }, context);
      if (each.act === "authenticate") return await authenticateToken(secret, token.kind, context);
      return await revokeToken(secret, { by: admin }, context);
    } catch (error) {
      const { message, stack, ...rest } = error instanceof Error ? error : new Error(String(error));
      return { message, stack, rest };
    }
  }
});
