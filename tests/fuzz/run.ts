import { fixText, parseSkill, profiles, validateSkill } from "@skillhold/skill";
import fc from "fast-check";
import { fuzzArchives } from "./archive.ts";
import { fuzzGateway } from "./gateway.ts";
import { fuzzGuard } from "./guard.ts";
import { skillText } from "./skill-text.ts";

if (process.argv[2] === "gateway") process.exit(fuzzGateway(process.argv.slice(3)));
if (process.argv[2] === "guard") process.exit(await fuzzGuard(process.argv.slice(3)));
if (process.argv[2] === "archive") process.exit(await fuzzArchives(process.argv.slice(3)));

/**
 * Usage: npm run fuzz [-- [archive|gateway|guard] <number of inputs> [<seed>]]. No input may make the code throw or
 * run slowly. Without a number, the archive unpacker runs afterwards.
 */
const runs = Number(process.argv[2] ?? 200_000);
const seed = Number(process.argv[3] ?? Date.now() % 2 ** 31);
const allowedMsPer64Kb = 50;

const started = performance.now();
let inputs = 0;
let repaired = 0;
let readable = 0;
let slowest = { ms: 0, text: "" };

console.log(`fuzzing the parser with ${runs} inputs, seed ${seed}`);
fc.assert(fc.property(skillText, checkText), { numRuns: runs, seed });
for (const unit of [
  "[",
  "- ",
  "a: b\n",
  "}",
  "&a ",
  "! ",
  "*a,",
  "'",
  '"\n',
  "? a\n: b\n",
  "k: [x] y\n",
  "d: a: b\n",
  "\t\n",
  ": ",
  ">- x\n",
  "{a: ",
  "x\n",
  "#\n",
  '"a" b\n',
  "k: 'it's'\n",
  "k: |\nx\n",
]) {
  checkText(`---\n${unit.repeat(65_000 / unit.length)}\n---\n`);
  checkText(`---\nname: a\ndescription: b: c\nk: ${unit.repeat(60_000 / unit.length)}\n---\n`);
}
const seconds = (performance.now() - started) / 1000;
console.log(
  `${inputs} inputs in ${seconds.toFixed(1)} s, ${readable} readable, ${repaired} of them repaired, none threw`,
);
console.log(
  `slowest ${slowest.ms.toFixed(1)} ms for ${slowest.text.length} characters (allowed: ${allowedMsPer64Kb} ms per 64 KB)`,
);
if (slowest.ms > budget(slowest.text)) {
  console.log(JSON.stringify(slowest.text.slice(0, 200)));
  process.exitCode = 1;
}
if (process.argv[2] === undefined && (await fuzzArchives([])) !== 0) process.exitCode = 1;

function checkText(text: string): void {
  inputs += 1;
  let ms = time(text);
  // A collection of garbage or another process may fall into one measurement; a slow input is slow every time.
  for (let retry = 0; retry < 3 && ms > budget(text); retry += 1) ms = Math.min(ms, time(text));
  if (ms > slowest.ms) slowest = { ms, text };
}

function time(text: string): number {
  const start = performance.now();
  const skill = parseSkill(text);
  const ms = performance.now() - start;
  if (skill.isReadable) readable += 1;
  if (skill.repaired) {
    repaired += 1;
    const again = parseSkill(fixText(skill));
    if (again.repaired || !again.isReadable) throw new Error("a fixed file must read as it is");
  }
  for (const profile of profiles) validateSkill(skill, { folder: "demo" }, profile);
  return ms;
}

function budget(text: string): number {
  return allowedMsPer64Kb * Math.max(1, text.length / 65_536);
}
