import fc from "fast-check";
import { expect, test } from "vitest";
import { type MappedSkill, SkillMap } from "./skill-map.ts";

/** Only the id matters here. */
const mapped = (id: string) => ({ current: { skill: { id } } }) as MappedSkill;
const idsOf = (skills: SkillMap) => skills.list().map(({ current }) => current.skill.id);

const id = fc.stringMatching(/^[a-c]{1,3}$/);
const change = fc.dictionary(id, fc.boolean(), { noNullPrototype: true });

test("behaves like an ordered map after any changes and keeps earlier versions [S-18]", () => {
  fc.assert(
    fc.property(fc.uniqueArray(id), fc.array(change), (ids, changes) => {
      const expected = new Map(ids.map((each) => [each, mapped(each)]));
      const moments = [{ skills: SkillMap.of(expected.values()), expected: new Map(expected) }];
      for (const each of changes) {
        const next = Object.entries(each).map(
          ([name, isThere]) => [name, isThere ? mapped(name) : undefined] as const,
        );
        for (const [name, skill] of next) {
          if (skill === undefined) expected.delete(name);
          else expected.set(name, skill);
        }
        const before = moments.at(-1)?.skills ?? SkillMap.of([]);
        const skills = before.with(new Map(next));
        moments.push({ skills, expected: new Map(expected) });
        const since = skills.since(before);
        const isOther = (name: string) => skills.find(name) !== before.find(name);
        expect(since).toEqual(new Set(next.map(([name]) => name).filter(isOther)));
      }
      for (const { skills, expected: then } of moments) {
        expect(idsOf(skills)).toEqual([...then.keys()].sort());
        for (const [name, skill] of then) expect(skills.find(name)).toBe(skill);
        expect(skills.find("nowhere")).toBeUndefined();
      }
    }),
  );
});

test("merges many changes into the base and knows the difference from the base before [S-18]", () => {
  const start = SkillMap.of([mapped("a")]);
  const moments = [start];
  for (let index = 0; index < 2500; index += 1) {
    const before = moments.at(-1) ?? start;
    const skills = before.with(new Map([[`s${index}`, mapped(`s${index}`)]]));
    expect(skills.since(before)).toEqual(new Set([`s${index}`]));
    moments.push(skills);
  }
  const skills = moments.at(-1) ?? start;
  expect(skills.since(moments[1500] ?? start)?.size).toBe(1000);
  expect(skills.since(start)).toBeUndefined();
  expect(skills.list()).toHaveLength(2501);
  expect(skills.find("s0")).toBeDefined();
});
