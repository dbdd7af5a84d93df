import { expect, test } from "vitest";
import { putSkills } from "../registry-library/put-skills.ts";
import { answerOf, problemOf } from "./gateway.fixture.ts";
import { asker, catchUp, engines, openOn, skillText } from "./skill.fixture.ts";

test.each(engines)(
  "lists a thousand skills in pages, each once and in order, on %s [S-53]",
  async (engine) => {
    const gateway = await openOn(engine);
    try {
      const ids = Array.from({ length: 1000 }, (_, at) => `skill-${String(at).padStart(4, "0")}`);
      await putSkills(
        ids.map((folder) => ({ folder, files: { "SKILL.md": skillText(folder) } })),
        gateway.registry.store,
      );
      const eve = asker(gateway, await gateway.asRole("viewer", "eve"));
      for (const limit of [333, 1000]) {
        const found: string[] = [];
        const sizes: number[] = [];
        for (let cursor: string | undefined = ""; cursor !== undefined; ) {
          const next: string = cursor === "" ? "" : `&cursor=${cursor}`;
          const page = await answerOf("listSkills", await eve("GET", `/v1/skills?limit=${limit}${next}`));
          expect(page.total).toBe(1000);
          found.push(...page.skills.map(({ entry }) => entry.id));
          sizes.push(page.skills.length);
          cursor = page.nextCursor;
        }
        expect(found).toEqual(ids);
        expect(sizes).toEqual(limit === 1000 ? [1000] : [333, 333, 333, 1]);
      }
      const first = await answerOf("listSkills", await eve("GET", "/v1/skills"));
      expect(first.skills).toHaveLength(100);
      // An inserted row does not move later rows.
      await putSkills(
        [{ folder: "skill-0000-a", files: { "SKILL.md": skillText("skill-0000-a") } }],
        gateway.registry.store,
      );
      await catchUp(gateway);
      const path = `/v1/skills?limit=1&cursor=${first.nextCursor}`;
      const second = await answerOf("listSkills", await eve("GET", path));
      expect(second.skills[0]?.entry.id).toBe("skill-0100");
      expect(second.total).toBe(1001);
    } finally {
      await gateway.close();
    }
  },
);

test("rejects an invalid cursor and an invalid page size [S-53]", async () => {
  const gateway = await openOn("sqlite");
  try {
    await putSkills(
      ["a", "b", "c"].map((folder) => ({ folder, files: { "SKILL.md": skillText(folder) } })),
      gateway.registry.store,
    );
    const eve = asker(gateway, await gateway.asRole("viewer", "eve"));
    const { nextCursor = "" } = await answerOf("listSkills", await eve("GET", "/v1/skills?limit=1"));
    for (let at = 0; at < nextCursor.length; at += 1) {
      const other = nextCursor[at] === "A" ? "B" : "A";
      const bent = `${nextCursor.slice(0, at)}${other}${nextCursor.slice(at + 1)}`;
      const refused = await eve("GET", `/v1/skills?cursor=${bent}`);
      expect([bent, (await problemOf(refused)).code]).toEqual([bent, "USAGE"]);
    }
    const made = Buffer.from("a").toString("base64url");
    for (const query of [
      "cursor=",
      "cursor=%00",
      `cursor=${made}`,
      "limit=0",
      "limit=1001",
      "limit=-1",
      "limit=1e3",
    ])
      expect([query, (await eve("GET", `/v1/skills?${query}`)).status]).toEqual([query, 400]);
  } finally {
    await gateway.close();
  }
});
