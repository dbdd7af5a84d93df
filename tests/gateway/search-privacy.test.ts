import { SkillEvent } from "@skillhold/protocol";
import { deleteSkill } from "@skillhold/registry/release";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { answerOf, type TestGateway } from "./gateway.fixture.ts";
import { ada, asker, catchUp, engines, openOn, put } from "./skill.fixture.ts";

/** Words of the private skill that a viewer may try, whole, begun and misspelled. */
const guesses = [
  "swordfish",
  "swordf",
  "swordfihs",
  "deploy",
  "deploy swordfish",
  "deployment",
  "zebra notes",
];

/** Lists, counts, explanations, metrics, and requests for skills that eve guesses. */
const otherPaths = [
  "/v1/skills",
  "/v1/skills?limit=1",
  "/v1/skills?view=all",
  "/v1/skills?view=deleted",
  "/v1/skills?tag=swordfish",
  "/v1/skills/secret-0",
  "/v1/skills/secret-0/versions",
  "/v1/skills/secret-0/metrics",
  "/v1/skills/deploy-servic",
  "/v1/explain",
  "/v1/metrics",
  "/v1/metrics?by=revision",
  "/metrics",
  "/v1/export",
];

/** Without what changes from request to request: ids, and the gateway's own traffic and memory. */
function stable(text: string): string {
  return text
    .replace(/"requestId":"[^"]*"/g, "")
    .split("\n")
    .filter((line) => !/^skillhold_(http_|resident_memory)/.test(line))
    .join("\n");
}

describe.each(engines)("search and private skills on %s", (engine) => {
  let gateway: TestGateway;
  beforeEach(async () => {
    gateway = await openOn(engine);
    await put(gateway, "deploy-service", {
      visibility: "public",
      body: "Deploy the service. Notes on zebra.",
    });
    await put(gateway, "write-notes", { visibility: "public", body: "Notes of a deploy and of swordfin." });
    await put(gateway, "review-code", { visibility: "public", body: "Read the change and comment." });
  });
  afterEach(() => gateway.close());

  /** Everything that eve can learn by asking, with entity tags. */
  async function answers(): Promise<readonly unknown[]> {
    await catchUp(gateway);
    const found: unknown[] = [];
    for (const role of ["viewer", "agent"] as const) {
      const eve = asker(gateway, await gateway.asRole(role, "eve"));
      const paths = guesses.flatMap((guess) => [
        `/v1/skills/search?q=${encodeURIComponent(guess)}`,
        `/v1/skills/search?q=${encodeURIComponent(guess)}&limit=2`,
        `/v1/catalogue?task=${encodeURIComponent(guess)}`,
      ]);
      for (const path of [...paths, "/v1/catalogue"]) {
        const response = await eve("GET", path);
        expect(response.status).toBe(200);
        found.push([path, response.headers.get("etag"), await response.text()]);
      }
    }
    for (const role of ["viewer", "agent", "publisher"] as const) {
      const eve = asker(gateway, await gateway.asRole(role, "eve"));
      for (const path of otherPaths) {
        const response = await eve("GET", path);
        found.push([
          role,
          path,
          response.status,
          response.headers.get("etag"),
          stable(await response.text()),
        ]);
      }
    }
    return found;
  }

  test("adding or removing a private skill changes no byte of an answer to others [S-43] [S-61]", async () => {
    const before = await answers();
    for (const [at, guess] of guesses.entries())
      await put(gateway, `secret-${at}`, {
        body: `${guess} swordfish deploy deployment notes zebra.`,
        fields: `tags: [${guess.replace(" ", "-")}]\n`,
      });
    expect(await answers()).toEqual(before);
    for (const type of ["skill.activated", "skill.denied"] as const)
      await gateway.registry.store.transaction((tx) => tx.append(useOf(type)));
    expect(await answers()).toEqual(before);
    await deleteSkill("secret-0", { by: ada }, gateway.registry);
    expect(await answers()).toEqual(before);
  });

  test("only administrators get the shares of a score [S-43] [S-61]", async () => {
    const partsFor = async (role: "viewer" | "admin") => {
      const someone = asker(gateway, await gateway.asRole(role, "eve"));
      const { hits } = await answerOf("searchSkills", await someone("GET", "/v1/skills/search?q=deploy"));
      return hits.map(({ hit }) => Object.keys(hit.parts).length > 0);
    };
    expect(await partsFor("viewer")).toEqual([false, false]);
    expect(await partsFor("admin")).toEqual([true, true]);
  });
});

/** Someone used a private skill, or was denied it. */
function useOf(type: "skill.activated" | "skill.denied"): SkillEvent {
  const at = "2026-01-01T00:00:00.000Z";
  const hash = `sha256:${"0".repeat(64)}`;
  const own =
    type === "skill.denied"
      ? { act: "activate", reason: "SKILL_NOT_FOUND", message: "" }
      : { hash, skillHash: hash, source: "registry", trust: "user", invoker: "model" };
  return SkillEvent.parse({ type, at, session: "s", skill: "secret-1", ...own });
}
