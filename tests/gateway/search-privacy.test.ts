import { deleteSkill } from "@skillhold/registry/release";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { TestGateway } from "./gateway.fixture.ts";
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
      const list = (await (await eve("GET", "/v1/skills")).json()) as { readonly skills: unknown };
      found.push(list.skills);
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
    await deleteSkill("secret-0", { by: ada }, gateway.registry);
    expect(await answers()).toEqual(before);
  });
});
