import type { GivenSkill } from "../tests/registry-library/put-skills.ts";

/** Skills of about 2.4 kB with only a SKILL.md. */
export function* makeSkills(size: number): Generator<GivenSkill> {
  for (let index = 0; index < size; index += 1) {
    const { folder, files } = makeSkill(index);
    yield { folder, files: { "SKILL.md": files["SKILL.md"] } };
  }
}

export function makeSkill(index: number) {
  const folder = `skill-${index}`;
  const description = `Handles ${words(index, 24)}.`;
  const body = words(index + 1_000_000, 300);
  const text = `---\nname: ${folder}\ndescription: ${description}\nlicense: MIT\nmetadata:\n  version: 1.0.${index}\n---\n${body}\n`;
  return { folder, description, body, files: { "SKILL.md": text, "scripts/run.sh": `echo ${index}\n` } };
}

/** Words as rare and as frequent as those of a language: the n-th comes about 1/n as often as the first. */
function words(seed: number, count: number): string {
  let state = (seed * 2_654_435_761) >>> 0 || 1;
  const chosen: string[] = [];
  for (let index = 0; index < count; index += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    chosen.push(word(Math.floor(20_000 ** (state / 2 ** 32))));
  }
  return chosen.join(" ");
}

export function word(number: number): string {
  const syllables = ["ka", "lo", "mi", "nu", "re", "so", "ta", "vi", "wo", "ze"];
  return `w${[...String(number)].map((digit) => syllables[Number(digit)]).join("")}`;
}
