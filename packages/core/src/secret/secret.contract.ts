import { describe, expect, test } from "vitest";
import type { Clock } from "../port.ts";
import type { SecretStore } from "./secret.ts";

const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms);
const all = { skill: "pdf" };
const writer = { skill: "pdf", agent: "writer" };
const usage = expect.objectContaining({ code: "USAGE" });

/** What every store of secrets promises. */
export function secretContract(name: string, open: (clock: Clock) => Promise<SecretStore>): void {
  const fresh = () => open({ now: () => at(0) });

  describe(`secrets in ${name}`, () => {
    test("opens a value only for the skill it was set for [S-33]", async () => {
      const secrets = await fresh();
      await secrets.set(all, "KEY", "välue\n");
      expect(await secrets.open(all, ["KEY", "OTHER"])).toEqual(new Map([["KEY", "välue\n"]]));
      expect(await secrets.open({ skill: "docx" }, ["KEY"])).toEqual(new Map());
    });

    test("opens only the requested names [S-33]", async () => {
      const secrets = await fresh();
      await secrets.set(all, "KEY", "one");
      await secrets.set(all, "OTHER", "two");
      expect(await secrets.open(all, ["OTHER"])).toEqual(new Map([["OTHER", "two"]]));
      expect(await secrets.open(all, [])).toEqual(new Map());
    });

    test("an agent's own value precedes the shared one and is private to the agent [S-33]", async () => {
      const secrets = await fresh();
      await secrets.set(all, "KEY", "for all");
      await secrets.set(all, "SHARED", "shared");
      await secrets.set(writer, "KEY", "own");
      expect(await secrets.open(writer, ["KEY", "SHARED"])).toEqual(
        new Map([
          ["KEY", "own"],
          ["SHARED", "shared"],
        ]),
      );
      expect(await secrets.open({ skill: "pdf", agent: "reader" }, ["KEY"])).toEqual(
        new Map([["KEY", "for all"]]),
      );
      expect(await secrets.open(all, ["KEY"])).toEqual(new Map([["KEY", "for all"]]));
    });

    test("setting a value again replaces it [S-33]", async () => {
      let ms = 0;
      const secrets = await open({ now: () => at(ms) });
      await secrets.set(all, "KEY", "one");
      ms = 5;
      await secrets.set(all, "KEY", "two");
      expect(await secrets.open(all, ["KEY"])).toEqual(new Map([["KEY", "two"]]));
      expect(await secrets.list()).toEqual([{ skill: "pdf", name: "KEY", setAt: at(5).toISOString() }]);
    });

    test("lists names in order, for all, a skill or an agent, and never a value [S-33]", async () => {
      const secrets = await fresh();
      const setAt = at(0).toISOString();
      await secrets.set(writer, "OWN", "hidden-1");
      await secrets.set(all, "KEY", "hidden-2");
      await secrets.set(all, "A_KEY", "hidden-3");
      await secrets.set({ skill: "docx" }, "KEY", "hidden-4");
      const ofSkill = [
        { skill: "pdf", name: "A_KEY", setAt },
        { skill: "pdf", name: "KEY", setAt },
        { skill: "pdf", agent: "writer", name: "OWN", setAt },
      ];
      expect(await secrets.list()).toStrictEqual([{ skill: "docx", name: "KEY", setAt }, ...ofSkill]);
      expect(await secrets.list(all)).toStrictEqual(ofSkill);
      expect(await secrets.list(writer)).toStrictEqual(ofSkill.slice(2));
      expect(JSON.stringify(await secrets.list())).not.toContain("hidden");
    });

    test("removal reports whether exactly that scope had a value [S-33]", async () => {
      const secrets = await fresh();
      await secrets.set(all, "KEY", "one");
      expect(await secrets.remove(writer, "KEY")).toBe(false);
      expect(await secrets.remove(all, "OTHER")).toBe(false);
      expect(await secrets.open(all, ["KEY"])).toEqual(new Map([["KEY", "one"]]));
      expect(await secrets.remove(all, "KEY")).toBe(true);
      expect(await secrets.remove(all, "KEY")).toBe(false);
      expect(await secrets.open(all, ["KEY"])).toEqual(new Map());
    });

    test("rejects an invalid name, scope or value, and sets nothing [S-33]", async () => {
      const secrets = await fresh();
      await expect(secrets.set(all, "PATH", "value")).rejects.toEqual(usage);
      await expect(secrets.set(all, "A B", "value")).rejects.toEqual(usage);
      await expect(secrets.set(all, "KEY", "")).rejects.toEqual(usage);
      await expect(secrets.set(all, "KEY", "a\0b")).rejects.toEqual(usage);
      await expect(secrets.set({ skill: "" }, "KEY", "value")).rejects.toEqual(usage);
      await expect(secrets.set({ skill: "pdf", agent: "" }, "KEY", "value")).rejects.toEqual(usage);
      expect(await secrets.list()).toEqual([]);
    });

    test("returns the largest value unchanged [S-33]", async () => {
      const secrets = await fresh();
      const value = "0123456789abcdef".repeat(4096);
      await secrets.set(all, "KEY", value);
      expect((await secrets.open(all, ["KEY"])).get("KEY")).toBe(value);
    });
  });
}
