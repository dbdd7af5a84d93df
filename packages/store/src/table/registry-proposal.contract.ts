import { SkillId } from "@skillhold/protocol";
import type { Proposal, RegistryStore } from "@skillhold/registry/record";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { execute } from "./raw-registry.fixture.ts";
import { at, digest } from "./registry.fixture.ts";
import { openRegistryStore } from "./registry-store.ts";

/** The proposals of a store, for both engines. */
export function registryProposalContract(engine: string, makeUrl: () => Promise<string>): void {
  describe(`proposals in ${engine}`, () => {
    let url: string;
    let store: RegistryStore;
    beforeAll(async () => {
      url = await makeUrl();
      store = await openRegistryStore(url);
    });
    afterAll(() => store.close());
    beforeEach(() => execute(url, "delete from proposal"));

    const put = (...proposals: readonly Proposal[]) =>
      store.transaction(async (tx) => {
        for (const each of proposals) await tx.putProposal(each);
      });

    test("reads a proposal as it was stored [S-49]", async () => {
      const full = proposal("one", {
        folder: "/skills/pdf",
        session: "s1",
        author: { user: "ann", role: "agent", agent: "writer", token: "t1" },
        evidence: [{ kind: "text", value: "NUL \0 and a lone surrogate \ud800" }],
        reviews: [
          {
            by: { user: "bob", role: "admin" },
            decision: "comment",
            comment: "ok",
            candidate: digest("b"),
            at,
          },
        ],
        applied: { by: { user: "bob", role: "admin" }, at, revision: 2 },
      });
      await put(full);
      expect(await store.findProposal("one")).toEqual(full);
      expect(await store.findProposal("two")).toBeUndefined();
      expect(await store.findProposal("no\0ne")).toBeUndefined();
    });

    test("replaces the proposal with the same id [S-49]", async () => {
      await put(proposal("one"));
      await put(proposal("one", { state: "approved", updatedAt: later(1) }));
      expect(await ids({})).toEqual(["one"]);
      expect((await store.findProposal("one"))?.state).toBe("approved");
      expect(await ids({ states: ["pending"] })).toEqual([]);
    });

    test("keeps no proposal of a transaction that fails [S-49]", async () => {
      const failing = store.transaction(async (tx) => {
        await tx.putProposal(proposal("one"));
        throw new Error("stopped");
      });
      await expect(failing).rejects.toThrow("stopped");
      expect(await ids({})).toEqual([]);
    });

    test("finds proposals by state, skill, session and candidate, newest first [S-49]", async () => {
      await put(
        proposal("a", { createdAt: later(1), session: "s1" }),
        proposal("b", { createdAt: later(3), state: "rejected" }),
        proposal("c", { createdAt: later(2), skill: SkillId.parse("docx") }),
        proposal("d", { createdAt: later(2), generations: [generation("other")] }),
      );
      expect(await ids({})).toEqual(["b", "d", "c", "a"]);
      expect(await ids({ states: ["pending"] })).toEqual(["d", "c", "a"]);
      expect(await ids({ states: ["rejected", "applied"] })).toEqual(["b"]);
      expect(await ids({ states: [] })).toEqual([]);
      expect(await ids({ skill: "docx" })).toEqual(["c"]);
      expect(await ids({ session: "s1" })).toEqual(["a"]);
      expect(await ids({ candidate: digest("other") })).toEqual(["d"]);
      expect(await ids({ skill: "pdf\0" })).toEqual([]);
    });

    test("pages through proposals of the same time without gaps [S-49]", async () => {
      await put(...["a", "b", "c", "d", "e"].map((id) => proposal(id)));
      const seen: string[] = [];
      for (let after: Proposal | undefined; ; ) {
        const page = await store.listProposals({ limit: 2, after });
        seen.push(...page.map(({ id }) => id));
        after = page.at(-1);
        if (page.length < 2) break;
      }
      expect(seen).toEqual(["e", "d", "c", "b", "a"]);
    });

    const ids = async (query: Omit<Parameters<RegistryStore["listProposals"]>[0], "limit">) =>
      (await store.listProposals({ ...query, limit: 100 })).map(({ id }) => id);
  });
}

function later(seconds: number): string {
  return new Date(Date.parse(at) + seconds * 1000).toISOString();
}

function generation(candidate: string): Proposal["generations"][0] {
  const by = { user: "ann", role: "agent" } as const;
  return { base: digest("base"), candidate: digest(candidate), verdict: "clean", widened: [], by, at };
}

function proposal(id: string, fields: Partial<Proposal> = {}): Proposal {
  return {
    id,
    kind: "update",
    skill: SkillId.parse("pdf"),
    folder: undefined,
    origin: "session",
    state: "pending",
    author: { user: "ann", role: "agent" },
    session: undefined,
    justification: "It fails.",
    evidence: [],
    generations: [generation("candidate")],
    reviews: [],
    applied: undefined,
    createdAt: at,
    updatedAt: at,
    ...fields,
  };
}
