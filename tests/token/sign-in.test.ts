import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { addAgent, removeAgent } from "@skillhold/registry/access";
import type { RegistryStore } from "@skillhold/registry/record";
import { authenticateToken, issueToken, revokeToken, useSignIn } from "@skillhold/registry/token";
import { inProcess } from "@skillhold/store/test/table/registry-process.fixture";
import { openRegistryStore } from "@skillhold/store/test/table/registry-store";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { admin, engines, openScene, type Scene } from "../registry/scene.ts";

const minute = 60_000;
const refused = { code: "UNAUTHENTICATED", message: expect.stringContaining("This sign-in link ") };
const moduleUrl = pathToFileURL(join(import.meta.dirname, "../../packages/registry/src/token/index.ts")).href;

describe.each(engines)("signing in on %s", (engine) => {
  let scene: Scene;
  const others: RegistryStore[] = [];
  beforeEach(async () => {
    scene = await openScene(engine);
  });
  afterEach(async () => {
    for (const store of others.splice(0)) await store.close();
    await scene.close();
  });
  const issue = (agent?: string) =>
    issueToken(
      {
        kind: "sign-in",
        name: "console",
        role: agent === undefined ? "admin" : "publisher",
        user: "eve",
        ...(agent === undefined ? {} : { agent }),
      },
      { by: admin },
      scene.context,
    );
  const sessions = () => scene.context.store.listTokens("session");

  test("a code becomes a session with the same user and role for 30 days [S-53]", async () => {
    const code = await issue();
    expect(Date.parse(code.token.expiresAt) - Date.parse(code.token.createdAt)).toBe(15 * minute);
    const { token, secret } = await useSignIn(code.secret, scene.context);
    expect(token).toMatchObject({ kind: "session", role: "admin", user: "eve", name: "console" });
    expect(Date.parse(token.expiresAt) - Date.parse(token.createdAt)).toBe(30 * 24 * 60 * minute);
    expect(secret).not.toBe(code.secret);
    expect(await authenticateToken(secret, "session", scene.context)).toEqual(token);
    expect(await authenticateToken(secret, "api", scene.context)).toBeUndefined();
    const by = { user: "eve", role: "admin" };
    expect((await scene.events()).slice(1)).toMatchObject([
      { type: "token.revoked", by, token: code.token.id },
      { type: "token.issued", by, token: token.id, kind: "session", user: "eve" },
    ]);
  });

  test("rejects a code that expires while it waits for the lock [S-53]", async () => {
    const code = await issue();
    const start = Date.parse(code.token.createdAt);
    let looks = 0;
    const clock = {
      now: () => {
        looks += 1;
        return new Date(start + (looks === 1 ? 0 : 16 * minute));
      },
    };
    await expect(useSignIn(code.secret, { ...scene.context, clock })).rejects.toMatchObject(refused);
    expect(await sessions()).toEqual([]);
  });

  test("a code works once [S-53]", async () => {
    const { secret } = await issue();
    await useSignIn(secret, scene.context);
    await expect(useSignIn(secret, scene.context)).rejects.toMatchObject(refused);
    expect(await sessions()).toHaveLength(1);
  });

  test("rejects an invalid, expired or wrong kind of code and says which [S-53]", async () => {
    await addAgent({ key: "writer", runtime: "x" }, { by: admin }, scene.context);
    const revoked = await issue();
    await revokeToken(revoked.token.id, { by: admin }, scene.context);
    const agents = await issue("writer");
    await removeAgent("writer", { by: admin }, scene.context);
    const api = await issueToken({ name: "CI", role: "admin" }, { by: admin }, scene.context);
    const session = await useSignIn((await issue()).secret, scene.context);
    const late = await issue();
    scene.pass(15 * minute);
    const before = await scene.context.store.lastEvent();
    const texts = [revoked, agents, api, session, late].map(({ secret }) => secret);
    for (const text of [...texts, "", "skh_", `skh_${"A".repeat(43)}`, "a\0b"])
      await expect(useSignIn(text, scene.context)).rejects.toMatchObject(refused);
    const reason = (text: string) => useSignIn(text, scene.context).then(String, ({ message }) => message);
    expect(await reason(revoked.secret)).toContain("was used before or revoked");
    expect(await reason(late.secret)).toContain("has expired");
    expect(await reason(`skh_${"A".repeat(43)}`)).toContain("was not issued by the store of this gateway");
    expect([await scene.context.store.lastEvent(), (await sessions()).length]).toEqual([before, 1]);
  });

  test("only one of many concurrent uses of a code gets a session [S-53]", async () => {
    for (let count = 0; count < 3; count += 1) others.push(await openRegistryStore(scene.url));
    for (let round = 1; round <= 5; round += 1) {
      const { secret } = await issue();
      const uses = [scene.context.store, ...others, ...others].map((store) =>
        useSignIn(secret, { ...scene.context, store }),
      );
      const ended = await Promise.allSettled(uses);
      expect(ended.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      for (const each of ended) if (each.status === "rejected") expect(each.reason).toMatchObject(refused);
      expect(await sessions()).toHaveLength(round);
    }
  });

  test("each code works once across several processes [S-53]", async () => {
    const codes = await Promise.all(Array.from({ length: 10 }, () => issue()));
    const code = `
      const { useSignIn } = await import(args[0]);
      const context = { store, clock: { now: () => new Date() }, ids: { next: () => crypto.randomUUID() },
        limits: JSON.parse(args[1]) };
      const ended = await Promise.allSettled(JSON.parse(args[2]).map((secret) => useSignIn(secret, context)));
      return ended.map((each) => each.status === "fulfilled" ? "in" : each.reason.code);`;
    const secrets = JSON.stringify(codes.map(({ secret }) => secret));
    const args = [moduleUrl, JSON.stringify(scene.context.limits), secrets];
    const answers = await Promise.all([1, 2].map(() => inProcess(scene.url, code, ...args)));
    const [first, second] = answers.map((answer) => (Array.isArray(answer) ? answer.map(String) : []));
    const pairs = codes.map((_, index) => [first?.[index], second?.[index]].toSorted());
    expect(pairs).toEqual(codes.map(() => ["UNAUTHENTICATED", "in"]));
    expect(await sessions()).toHaveLength(10);
  });
});
