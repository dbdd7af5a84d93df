import type { SkillEvent } from "@skillhold/protocol";
import { beforeEach, expect, test } from "vitest";
import { memorySecrets } from "./memory-secrets.ts";
import { removeSecret, setSecret } from "./record-secret.ts";

const by = { user: "ann", role: "admin" } as const;
const scope = { skill: "pdf", agent: "writer" };
const start = Date.UTC(2026, 0, 1);

let steps: string[];
let secrets: ReturnType<typeof memorySecrets>;
beforeEach(() => {
  steps = [];
  secrets = memorySecrets();
});

function portsWith(record: (event: SkillEvent) => Promise<void> = async () => {}) {
  let now = start;
  return {
    clock: { now: () => new Date(now++) },
    secrets: {
      ...secrets,
      set: async (...given: Parameters<typeof secrets.set>) => {
        steps.push("set");
        await secrets.set(...given);
      },
      remove: async (...given: Parameters<typeof secrets.remove>) => {
        steps.push("remove");
        return await secrets.remove(...given);
      },
    },
    audit: {
      record: async (event: SkillEvent) => {
        await record(event);
        steps.push(event.type);
      },
    },
  };
}

const failing = () => Promise.reject(new Error("The disk is full."));

test("a secret is set only after it is recorded [S-33] [S-62]", async () => {
  await setSecret(scope, "KEY", "value", { by }, portsWith());
  expect(steps).toEqual(["secret.set", "set"]);
  await expect(setSecret(scope, "OTHER", "value", { by }, portsWith(failing))).rejects.toThrow("full");
  expect((await secrets.list()).map(({ name }) => name)).toEqual(["KEY"]);
});

test("a secret recorded as removed is gone [S-33] [S-62]", async () => {
  await secrets.set(scope, "KEY", "value");
  expect(await removeSecret(scope, "KEY", { by }, portsWith())).toBe(true);
  expect(await removeSecret(scope, "KEY", { by }, portsWith())).toBe(false);
  expect(steps).toEqual(["remove", "secret.removed", "remove"]);
  await secrets.set(scope, "KEY", "value");
  await expect(removeSecret(scope, "KEY", { by }, portsWith(failing))).rejects.toThrow("full");
  expect(await secrets.list()).toEqual([]);
});

test.each([
  [{ skill: "" }, "KEY", "value"],
  [{ skill: "Not An Id" }, "KEY", "value"],
  [{ skill: "pdf", agent: "" }, "KEY", "value"],
  [scope, "PATH", "value"],
  [scope, "KEY", ""],
])("does not record an invalid secret: %j %s %j [S-33] [S-62]", async (where, name, value) => {
  await expect(setSecret(where, name, value, { by }, portsWith())).rejects.toMatchObject({ code: "USAGE" });
  expect(steps).toEqual([]);
});

test("removes a secret that is stored without an id [S-33]", async () => {
  await secrets.set({ skill: "Not An Id" }, "KEY", "value");
  expect(await removeSecret({ skill: "Not An Id" }, "KEY", { by }, portsWith())).toBe(true);
  expect(steps).toEqual(["remove"]);
});
