import { hash } from "node:crypto";
import { type Actor, defaultLimits, type Role } from "@skillhold/protocol";
import { addAgent, removeAgent } from "@skillhold/registry/access";
import {
  agentUser,
  authenticateToken,
  getToken,
  issueToken,
  listTokenPage,
  listTokens,
  type NewToken,
  revokeToken,
} from "@skillhold/registry/token";
import { openRegistryStore } from "@skillhold/store/test/table/registry-store";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ada, adasAgent, admin, bob, engines, openScene, type Scene, system } from "../registry/scene.ts";

const day = 86_400_000;
const spec: NewToken = { name: "CI", role: "publisher" };
const viewer: Actor = { user: "ada", role: "viewer" };

describe.each(engines)("tokens on %s", (engine) => {
  let scene: Scene;
  beforeEach(async () => {
    scene = await openScene(engine);
  });
  afterEach(async () => {
    await scene.close();
  });
  const issue = (fields: Partial<NewToken> = {}, by: Actor = admin) =>
    issueToken({ ...spec, ...fields }, { by }, scene.context);
  const authenticate = (secret: string, kind: "api" | "session" | "sign-in" = "api") =>
    authenticateToken(secret, kind, scene.context);
  const addWriter = () => addAgent({ key: "writer", runtime: "x" }, { by: ada }, scene.context);

  describe("issuing", () => {
    test("a token has the identity and permissions it was issued with [S-53] [S-65]", async () => {
      await addWriter();
      const { token, secret } = await issue({
        name: " The CI ",
        role: "agent",
        user: "bob",
        agent: "writer",
      });
      expect(token).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        kind: "api",
        name: "The CI",
        role: "agent",
        user: "bob",
        agent: "writer",
        createdBy: "root",
        createdAt: expect.any(String),
        expiresAt: new Date(Date.parse(token.createdAt) + 90 * day).toISOString(),
      });
      expect(secret).toMatch(/^skh_[\w-]{43}$/);
      expect(await authenticate(secret)).toEqual(token);
      expect(await listTokens(scene.context)).toMatchObject([{ id: token.id }]);
      expect((await scene.context.store.listUsers()).map(({ name }) => name)).toContain("bob");
      const { id, kind, role, user, agent, createdAt: at, expiresAt } = token;
      expect((await scene.events()).at(-1)).toEqual({
        type: "token.issued",
        at,
        by: admin,
        token: id,
        kind,
        role,
        user,
        agent,
        expiresAt,
      });
    });

    test("secrets are 32 random bytes, and the store has only their hash [S-53]", async () => {
      const random = (bytes: number) => new Uint8Array(bytes).fill(7);
      const { token, secret } = await issueToken(spec, { by: admin }, { ...scene.context, random });
      expect(secret).toBe(`skh_${Buffer.alloc(32, 7).toString("base64url")}`);
      const stored = await scene.context.store.findToken(token.id);
      expect(stored?.hash).toBe(hash("sha256", secret, "hex"));
      expect(JSON.stringify(stored)).not.toContain(secret.slice(4));
    });

    test.each<[string, Partial<NewToken>]>([
      ["no name", { name: " " }],
      ["a name with a line break", { name: "a\nb" }],
      ["a name that is too long", { name: "x".repeat(129) }],
      ["a user with a trailing space", { user: "bob " }],
      ["a user whose name is too long", { user: "x".repeat(257) }],
      ["the role agent without an agent", { role: "agent" }],
      ["less than a minute", { expiresInMs: 59_999 }],
      ["more than ten years", { expiresInMs: 3650 * day + 1 }],
      ["an invalid lifetime", { expiresInMs: Number.NaN }],
      ["a lifetime for a sign-in", { kind: "sign-in", expiresInMs: day }],
    ])("rejects a token with %s [S-53]", async (_, fields) => {
      await expect(issue(fields)).rejects.toMatchObject({ code: "USAGE" });
      expect([await listTokens(scene.context), await scene.events()]).toEqual([[], []]);
    });

    test("rejects an administrator token for an agent [S-53]", async () => {
      await addWriter();
      for (const kind of ["api", "sign-in"] as const)
        await expect(issue({ kind, role: "admin", agent: "writer" })).rejects.toMatchObject({
          code: "CONFIG_INVALID",
        });
      expect(await listTokens(scene.context)).toEqual([]);
    });

    test("rejects a token for an unknown or removed agent [S-65]", async () => {
      await addWriter();
      await removeAgent("writer", { by: ada }, scene.context);
      for (const agent of ["writer", "nobody", "", "a\0b"])
        await expect(issue({ role: "agent", agent })).rejects.toMatchObject({ code: "AGENT_NOT_FOUND" });
    });

    test("resolves an agent's uid to its key [S-65]", async () => {
      const { uid } = await addWriter();
      const { token } = await issue({ role: "viewer", agent: uid });
      expect(token.agent).toBe("writer");
    });

    const roles: readonly Role[] = ["viewer", "agent", "publisher", "admin"];
    test.each<[string, Actor, readonly Role[]]>([
      ["a viewer", viewer, ["viewer"]],
      ["a publisher", ada, ["viewer", "agent", "publisher"]],
      ["an administrator", { user: "ada", role: "admin" }, roles],
      ["the system", { ...system, user: "ada" }, roles],
      ["an agent", adasAgent, []],
      ["a publisher through an agent", { ...ada, agent: "writer" }, []],
      ["an administrator through an agent", { user: "ada", role: "admin", agent: "writer" }, []],
    ])("%s cannot issue a token with more permissions than their own [S-53]", async (_, by, allowed) => {
      await addWriter();
      for (const role of roles) {
        const work = issue({ role, user: "ada", ...(role === "agent" ? { agent: "writer" } : {}) }, by);
        if (allowed.includes(role)) await expect(work).resolves.toMatchObject({ token: { role } });
        else await expect(work).rejects.toMatchObject({ code: "POLICY_DENIED" });
      }
    });

    test("only an administrator issues tokens for other users or their agents [S-53]", async () => {
      await addWriter();
      await expect(issue({ user: "bob" }, ada)).rejects.toMatchObject({ code: "POLICY_DENIED" });
      await expect(issue({ role: "agent", agent: "writer" }, bob)).rejects.toMatchObject({
        code: "POLICY_DENIED",
      });
      expect((await issue({ role: "agent", agent: "writer" }, ada)).token).toMatchObject({
        user: "agent:writer",
        createdBy: "ada",
      });
    });

    test("an agent's token acts for no person by default, and people cannot have its user's name [S-53] [S-70]", async () => {
      await addWriter();
      const { token } = await issue({ role: "agent", agent: "writer" });
      expect(token.user).toBe(agentUser("writer"));
      expect((await issue({ role: "agent", agent: "writer", user: token.user })).token.user).toBe(token.user);
      for (const fields of [
        { user: token.user },
        { user: "agent:other", role: "agent", agent: "writer" },
        { user: token.user, kind: "sign-in" },
      ] as const)
        await expect(issue(fields)).rejects.toMatchObject({ code: "USAGE" });
      expect((await issue({ role: "publisher", agent: "writer" })).token.user).toBe("root");
    });

    test("a user lists and revokes the tokens that act as them or that they issued for agents [S-70]", async () => {
      await addWriter();
      const own = await issue({ role: "viewer" }, ada);
      const agents = await issue({ role: "agent", agent: "writer" }, ada);
      const others = await issue({ role: "viewer", user: "bob" });
      const page = await listTokenPage({ limit: 10, of: "ada" }, scene.context);
      expect(page.map(({ id }) => id).toSorted()).toEqual([own.token.id, agents.token.id].toSorted());
      await revokeToken(agents.token.id, { by: ada }, scene.context);
      expect(await getToken(agents.token.id, ada, scene.context)).toHaveProperty("revokedAt");
      for (const work of [
        () => getToken(others.token.id, ada, scene.context),
        () => revokeToken(others.token.id, { by: ada }, scene.context),
        () => getToken(agents.token.id, bob, scene.context),
      ])
        await expect(work()).rejects.toMatchObject({ code: "TOKEN_NOT_FOUND" });
    });

    test("deletes expired tokens when another one is issued [S-53]", async () => {
      const first = await issue({ expiresInMs: 60_000 });
      const second = await issue();
      scene.pass(60_000);
      expect(await listTokens(scene.context)).toHaveLength(2);
      const third = await issue();
      const listed = (await listTokens(scene.context)).map(({ id }) => id);
      expect(listed).toEqual([second.token.id, third.token.id]);
      expect(await scene.context.store.findToken(first.token.id)).toBeUndefined();
    });
  });

  describe("authenticating", () => {
    test("a token is invalid from the exact moment of its expiry [S-53]", async () => {
      const { token, secret } = await issue({ expiresInMs: 60_000 });
      const at = (ms: number) => {
        const now = () => new Date(Date.parse(token.createdAt) + ms);
        return authenticateToken(secret, "api", { ...scene.context, clock: { now } });
      };
      expect(await at(59_999)).toMatchObject({ id: token.id });
      expect(await at(60_000)).toBeUndefined();
    });

    test("each kind of token works only for its purpose [S-53]", async () => {
      const api = await issue();
      const signIn = await issue({ kind: "sign-in" });
      expect(await authenticate(api.secret, "session")).toBeUndefined();
      expect(await authenticate(api.secret, "sign-in")).toBeUndefined();
      expect(await authenticate(signIn.secret)).toBeUndefined();
      expect(await authenticate(signIn.secret, "session")).toBeUndefined();
    });

    test("only the complete secret is accepted [S-53]", async () => {
      const { token, secret } = await issue();
      const digest = hash("sha256", secret, "hex");
      const flipped = secret.slice(0, -1) + (secret.endsWith("A") ? "E" : "A");
      for (const text of [
        "",
        token.id,
        digest,
        `skh_${digest.slice(0, 43)}`,
        secret.slice(4),
        secret.slice(0, -1),
        `${secret}A`,
        `${secret}\n`,
        ` ${secret}`,
        secret.toUpperCase(),
        flipped,
        "a\0b",
        "\ud800",
        "x".repeat(1_000_000),
      ])
        expect(await authenticate(text)).toBeUndefined();
      expect(await authenticate(secret)).toMatchObject({ id: token.id });
    });

    test("removing an agent invalidates its tokens at once, whatever their role [S-65]", async () => {
      await addWriter();
      const issued = [
        await issue({ role: "agent", agent: "writer" }),
        await issue({ role: "viewer", agent: "writer" }),
      ];
      const other = await issue();
      await removeAgent("writer", { by: ada }, scene.context);
      for (const { secret } of issued) expect(await authenticate(secret)).toBeUndefined();
      expect(await authenticate(other.secret)).toBeDefined();
    });

    test("records the last use to the minute, outside the log [S-53]", async () => {
      const { secret } = await issue();
      const before = await scene.events();
      const lastUse = async () => {
        // Closing a store waits for its pending writes.
        const store = await openRegistryStore(scene.url);
        const context = { ...scene.context, store };
        await authenticateToken(secret, "api", context);
        await store.close();
        return (await listTokens(scene.context))[0]?.lastUsedAt ?? "";
      };
      const first = await lastUse();
      expect(Number.isNaN(Date.parse(first))).toBe(false);
      expect(await lastUse()).toBe(first);
      scene.pass(60_000);
      const second = await lastUse();
      expect(Date.parse(second) - Date.parse(first)).toBeGreaterThanOrEqual(60_000);
      expect(await scene.events()).toEqual(before);
    });
  });

  describe("revoking", () => {
    test("a revoked token is invalid at once, listed as revoked and recorded once [S-53]", async () => {
      const { token, secret } = await issue();
      const revoked = await revokeToken(token.id, { by: admin }, scene.context);
      expect(revoked).toEqual({ ...token, revokedAt: expect.any(String) });
      expect(await authenticate(secret)).toBeUndefined();
      expect(await revokeToken(token.id, { by: admin }, scene.context)).toEqual(revoked);
      expect(await listTokens(scene.context)).toEqual([revoked]);
      const { revokedAt: at } = revoked;
      expect((await scene.events()).slice(1)).toEqual([
        { type: "token.revoked", at, by: admin, token: token.id },
      ]);
    });

    test("a user can revoke only their own tokens, others are not found, and an agent can revoke none [S-53]", async () => {
      const { token, secret } = await issue({ user: "ada" });
      for (const by of [bob, { ...bob, role: "viewer" } as const])
        await expect(revokeToken(token.id, { by }, scene.context)).rejects.toMatchObject({
          code: "TOKEN_NOT_FOUND",
          message: `There is no token ${token.id}.`,
        });
      await expect(revokeToken(token.id, { by: adasAgent }, scene.context)).rejects.toMatchObject({
        code: "POLICY_DENIED",
      });
      expect(await authenticate(secret)).toBeDefined();
      expect(await revokeToken(token.id, { by: viewer }, scene.context)).toMatchObject({ id: token.id });
    });

    test("does not find an invalid id and does not repeat a secret in the error [S-53]", async () => {
      const { secret } = await issue();
      const digest = hash("sha256", secret, "hex");
      for (const text of [secret, digest, "", "a\0b", "x".repeat(100_000)]) {
        const error: unknown = await revokeToken(text, { by: admin }, scene.context).catch(
          (thrown) => thrown,
        );
        expect(error).toMatchObject({
          code: "TOKEN_NOT_FOUND",
          message: "The given text is not a token id.",
        });
        expect(JSON.stringify(error)).not.toContain(secret);
      }
      expect(await authenticate(secret)).toBeDefined();
    });
  });

  test("the limits set the default lifetimes of tokens [S-66]", async () => {
    const limits = { ...defaultLimits, tokenMs: day, signInMs: 20_000 };
    const context = { ...scene.context, limits };
    for (const [kind, ms] of [
      ["api", day],
      ["sign-in", 20_000],
    ] as const) {
      const { token } = await issueToken({ ...spec, kind }, { by: admin }, context);
      expect(Date.parse(token.expiresAt) - Date.parse(token.createdAt)).toBe(ms);
    }
  });
});
