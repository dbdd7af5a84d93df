import { neutralText } from "@skillhold/core/text";
import type { Digest } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { type Recovered, type Replay, type ReplayStep, replaySession } from "@skillhold/registry/audit";
import type { RegistryContext } from "@skillhold/registry/record";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { type Opened, withLibrary } from "../../open.ts";
import { libraryOptions } from "../../shared-option.ts";
import { withRegistry } from "../../store.ts";
import { type ExitCode, type Io, printData } from "../../terminal/output.ts";
import { count, formatSize, forReader, paintFor } from "../../terminal/text.ts";

const optionSpecs = [
  { flags: "--text", summary: "also print the content of each step" },
  ...libraryOptions,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [
    {
      usage: "<session>",
      summary: "the session's id, as `audit tail --type session.opened --json` prints it",
    },
    { usage: "[step]", summary: "print the content of this step, unchanged" },
  ],
  options: optionSpecs,
  examples: ["replay 7b0c1a52-…", "replay 7b0c1a52-… 1", "replay 7b0c1a52-… --text --json"],
  run,
});

/** Prints the steps of a session, with `--text` also their content; or only the content of one step. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io } = input;
  const [session = "", wanted] = input.args;
  const hasText = input.options["text"] === true;
  return await withRegistry<ExitCode>(input, "read", async ({ context }) => {
    const replay = await withLibrary(input, (opened) =>
      replaySession(session, { ...context, current: (skill) => findCurrent(skill, opened, context) }),
    );
    if (wanted !== undefined) printStep(io, chooseStep(replay, wanted));
    else if (io.json)
      printData(io, { ...replay, steps: replay.steps.map((step) => describe(step, hasText)) });
    else await printReplay(io, replay, hasText);
    return 0;
  });
}

/** The current hash of a skill, including a skill of the store that is hidden from this viewer. */
async function findCurrent(
  skill: string,
  { library, viewer }: Opened,
  { store }: RegistryContext,
): Promise<Digest | undefined> {
  try {
    return (await library.read(viewer, skill)).treeHash;
  } catch (error) {
    if (!(error instanceof SkillError) || error.code !== "SKILL_NOT_FOUND") throw error;
    return (await store.findSkill(skill))?.treeHash;
  }
}

function chooseStep({ steps }: Replay, wanted: string): ReplayStep {
  const step = /^\d+$/.test(wanted) ? steps[Number(wanted) - 1] : undefined;
  if (step !== undefined) return step;
  throw new SkillError("USAGE", `Step ${JSON.stringify(wanted)} does not exist.`, {
    hint: `The session has ${count(steps.length, "step")}; the first one is 1.`,
  });
}

function printStep(io: Io, step: ReplayStep): void {
  const given = givenIn(step);
  if (io.json) {
    printData(io, describe(step, true));
    return;
  }
  if (!given.isAvailable) throw new SkillError("REVISION_NOT_FOUND", given.message, { hint: given.reason });
  io.out(io.isOutTty ? forReader(io, Buffer.from(given.bytes).toString()) : given.bytes);
}

/** The content that the agent received; for a run, the script. */
function givenIn(step: ReplayStep): Recovered {
  switch (step.kind) {
    case "activation":
      return step.text;
    case "read":
      return step.content;
    case "run":
      return step.script;
  }
}

/** JSON has no bytes, so they become base64; without the text, only their number. */
function describe(step: ReplayStep, hasText: boolean): object {
  const entries = Object.entries(step).map(([name, value]) => [
    name,
    isRecovered(value) && value.isAvailable
      ? { isAvailable: true, ...describeBytes(value.bytes, hasText) }
      : value,
  ]);
  return Object.fromEntries(entries);
}

function describeBytes(bytes: Uint8Array, hasText: boolean): object {
  return { size: bytes.length, ...(hasText ? { base64: Buffer.from(bytes).toString("base64") } : {}) };
}

function isRecovered(value: unknown): value is Recovered {
  return typeof value === "object" && value !== null && "isAvailable" in value;
}

async function printReplay(io: Io, { opened, steps, drift }: Replay, hasText: boolean): Promise<void> {
  const paint = await paintFor(io.color);
  for (const [index, step] of steps.entries()) {
    const given = givenIn(step);
    io.out(`${index + 1} ${paint.dim(step.at)} ${formatStep(step)}${formatGiven(given, paint.yellow)}\n`);
    if (hasText && given.isAvailable) io.out(`${forReader(io, Buffer.from(given.bytes).toString())}\n`);
  }
  for (const { skill, used, now } of drift)
    io.out(`${paint.yellow("drift")} ${neutralText(skill)}: used ${used}, today ${now ?? "missing"}\n`);
  const who = [opened?.agent, opened?.user, opened?.runtime].filter((each) => each !== undefined);
  io.err(
    `${count(steps.length, "step")} by ${who.map((each) => neutralText(each)).join(", ") || "someone"}\n`,
  );
}

function formatStep(step: ReplayStep): string {
  const skill = neutralText(step.skill);
  switch (step.kind) {
    case "activation":
      return `read ${skill}${step.revision === undefined ? "" : `@${step.revision}`} ${step.hash}`;
    case "read":
      return `read ${skill} ${neutralText(step.path)} from byte ${step.start}`;
    case "run": {
      const words = [step.target, ...step.args].map((word) => neutralText(word, 120)).join(" ");
      const code = step.end?.exitCode === undefined ? "" : ` ${step.end.exitCode}`;
      const end = step.end === undefined ? "no end recorded" : `${step.end.outcome}${code}`;
      return `${step.wasAllowed ? "ran" : "was refused"} ${skill} ${words}${step.wasAllowed ? ` (${end})` : ""}`;
    }
  }
}

function formatGiven(given: Recovered, paint: (text: string) => string): string {
  if (given.isAvailable) return ` [${formatSize(given.bytes.length)}]`;
  return ` ${paint(`[${given.reason}: ${neutralText(given.message)}]`)}`;
}
