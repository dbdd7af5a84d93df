import type { PasskeyRecord, RegistryStore, SignInAttempt } from "@skillhold/registry/record";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { at } from "./registry.fixture.ts";
import { openRegistryStore } from "./registry-store.ts";

const passkey = (id: string, fields: Partial<PasskeyRecord> = {}): PasskeyRecord => ({
  id,
  user: "ann",
  name: "技能 ' \" $1 ?",
  credential: `credential-${id}`,
  publicKey: "key",
  counter: 2 ** 32 - 1,
  transports: ["internal", "hybrid"],
  createdAt: at,
  lastUsedAt: undefined,
  ...fields,
});
const minute = (count: number) => new Date(Date.parse(at) + count * 60_000);
const attempt = (id: string, until = 5): SignInAttempt => ({
  id,
  kind: "passkey-use",
  body: "{}",
  expiresAt: minute(until).toISOString(),
});

/** The contract of every registry store for passkeys, identities, users and sign-in attempts. */
export function registryIdentityContract(engine: string, freshUrl: () => Promise<string>): void {
  describe(`passkeys on ${engine}`, () => {
    let store: RegistryStore;
    beforeEach(async () => {
      store = await openRegistryStore(await freshUrl());
    });
    afterEach(() => store.close());

    test("finds a passkey by id or credential, and lists those of one user [S-70]", async () => {
      const [first, second] = [passkey("b"), passkey("a", { createdAt: minute(1).toISOString() })];
      await store.transaction(async (tx) => {
        for (const each of [second, first, passkey("c", { user: "bob" })]) await tx.putPasskey(each);
      });
      expect(await store.findPasskey("b")).toEqual(first);
      expect(await store.findPasskey("credential-b")).toEqual(first);
      for (const text of ["", "B", "credential-", "a\0b", "\ud800"])
        expect(await store.findPasskey(text)).toBeUndefined();
      expect(await store.listPasskeys("ann")).toEqual([first, second]);
      expect(await store.listPasskeys("a\0b")).toEqual([]);
    });

    test("changes only the counter and the last use of a passkey [S-70]", async () => {
      await store.transaction((tx) => tx.putPasskey(passkey("a", { counter: 1 })));
      const used = { counter: 2, lastUsedAt: minute(1).toISOString() };
      await store.transaction((tx) => tx.putPasskey(passkey("a", { ...used, user: "eve", publicKey: "x" })));
      expect(await store.findPasskey("a")).toEqual(passkey("a", used));
      const twin = passkey("z", { credential: "credential-a" });
      await expect(store.transaction((tx) => tx.putPasskey(twin))).rejects.toMatchObject({
        code: "CONFLICT",
      });
      await store.transaction((tx) => tx.removePasskey("a"));
      expect(await store.findPasskey("a")).toBeUndefined();
    });

    test("finds an identity by issuer and subject together, and links it once [S-70]", async () => {
      const identity = { issuer: "https://login.test", subject: "技能 ' 1", user: "ann", createdAt: at };
      const find = (issuer: string, subject: string) =>
        store.transaction((tx) => tx.findIdentity(issuer, subject));
      await store.transaction((tx) => tx.insertIdentity(identity));
      expect(await find(identity.issuer, identity.subject)).toEqual(identity);
      for (const [issuer, subject] of [
        ["https://other.test", identity.subject],
        [identity.issuer, "技能 ' 2"],
        [identity.subject, identity.issuer],
        ["a\0b", "\ud800"],
      ] as const)
        expect(await find(issuer, subject)).toBeUndefined();
      const stolen = { ...identity, user: "eve" };
      await expect(store.transaction((tx) => tx.insertIdentity(stolen))).rejects.toThrow();
      expect(await find(identity.issuer, identity.subject)).toEqual(identity);
    });

    test("keeps the role and the state of a user [S-70]", async () => {
      await store.transaction(async (tx) => {
        await tx.putUser({ name: "ann", displayName: undefined, createdAt: at });
        await tx.setUser({ name: "ann", role: "publisher", inactiveSince: at });
        await tx.setUser({ name: "unknown", role: "admin" });
      });
      expect(await store.listUsers()).toEqual([
        { name: "ann", displayName: undefined, createdAt: at, role: "publisher", inactiveSince: at },
      ]);
      await store.transaction((tx) => tx.setUser({ name: "ann", role: undefined, inactiveSince: undefined }));
      expect(await store.findUser("ann")).toMatchObject({ role: undefined, inactiveSince: undefined });
    });

    test("gives an attempt to one of several concurrent callers [S-70]", async () => {
      await store.transaction((tx) => tx.putAttempt(attempt("a"), { now: minute(0), most: 10 }));
      const taken = await Promise.all(
        Array.from({ length: 5 }, () => store.transaction((tx) => tx.takeAttempt("a"))),
      );
      expect(taken.filter((each) => each !== undefined)).toEqual([attempt("a")]);
      expect(await store.transaction((tx) => tx.takeAttempt("a\0"))).toBeUndefined();
    });

    test("keeps a bounded number of attempts, and drops expired ones [S-70]", async () => {
      const put = (each: SignInAttempt, now = minute(0)) =>
        store.transaction((tx) => tx.putAttempt(each, { now, most: 3 }));
      for (const [id, until] of Object.entries({ a: 5, b: 6, c: 7, d: 8 })) await put(attempt(id, until));
      await put(attempt("e", 12), minute(7));
      const left: string[] = [];
      for (const id of ["a", "b", "c", "d", "e"])
        if ((await store.transaction((tx) => tx.takeAttempt(id))) !== undefined) left.push(id);
      expect(left).toEqual(["d", "e"]);
    });
  });
}
