import { expect, test } from "vitest";
import { matchRule } from "./match.ts";
import { guardRules, tokenRules } from "./rule-table.ts";

test.each(tokenRules.map((rule) => [rule.id, rule] as const))(
  "%s matches its hits and no near miss [S-52]",
  (_, rule) => {
    for (const hit of rule.tests.hits) expect.soft(matchRule(rule, hit), hit).not.toEqual([]);
    for (const miss of rule.tests.misses) expect.soft(matchRule(rule, miss), miss).toEqual([]);
  },
);

test.each(tokenRules.map((rule) => [rule.id, rule] as const))(
  "%s takes linear time on hostile repetitions [S-52]",
  (_, rule) => {
    const timeOf = (bytes: number) => {
      const text = rule.tests.hostile.repeat(Math.ceil(bytes / rule.tests.hostile.length));
      const start = process.cpuUsage();
      matchRule(rule, text);
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 1000;
    };
    timeOf(4096);
    const best = (bytes: number) => Math.min(...Array.from({ length: 5 }, () => timeOf(bytes)));
    // Quadratic matching would take 16 times as long on 4 times the text; the slack covers tiny numbers.
    expect(best(4 * 65_536)).toBeLessThan(8 * best(65_536) + 20);
  },
);

test("has one rule for each id [S-52]", () => {
  expect(guardRules.size).toBeGreaterThan(40);
  const ids = tokenRules.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});
