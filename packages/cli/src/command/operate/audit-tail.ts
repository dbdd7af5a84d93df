import { didYouMean, suggest } from "@skillhold/core/session";
import { neutralText } from "@skillhold/core/text";
import { SkillEvent } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { followEvents } from "@skillhold/registry/audit";
import type { RegistryStore, StoredEvent } from "@skillhold/registry/record";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { countOption, textOption } from "../../option.ts";
import { storeOption } from "../../shared-option.ts";
import { withRegistry } from "../../store.ts";
import { untilAborted } from "../../terminal/interrupt.ts";
import { type ExitCode, type Io, printData, printLine } from "../../terminal/output.ts";
import { paintFor } from "../../terminal/text.ts";

const INTERRUPTED = 130;
const PAGE = 1000;
const MOST_LINES = 100_000;

type Filter = (stored: StoredEvent) => boolean;

const optionSpecs = [
  { flags: "--lines <count>", summary: "how many", default: "20" },
  { flags: "--follow", summary: "go on with what is recorded from now on" },
  { flags: "--after <number>", summary: "all after the entry of this number" },
  { flags: "--session <id>", summary: "only of this session" },
  { flags: "--skill <id>", summary: "only about this skill" },
  { flags: "--type <name>", summary: "only of this type" },
  storeOption,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [],
  options: optionSpecs,
  examples: ["audit tail", "audit tail --follow", "audit tail --skill pdf --type skill.activated"],
  run,
});

/** Prints what was recorded last, and with `--follow` what is recorded from then on. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  const lines = countOption(options, "lines", { min: 0, max: MOST_LINES }) ?? 0;
  const after = countOption(options, "after", { min: 0 });
  const filter = readFilter(options);
  return await withRegistry<ExitCode>(input, "read", async ({ context: { store } }) => {
    const end = await store.lastEvent();
    const found =
      after === undefined
        ? await findLast(lines, end, filter, store)
        : await findBetween(after, end, filter, store);
    if (options["follow"] !== true) {
      if (io.json) printData(io, { events: found });
      else await printEvents(io, found);
      return 0;
    }
    for (const stored of found) await printEvent(io, stored);
    await follow(Math.max(end, after ?? 0), filter, io, store);
    return INTERRUPTED;
  });
}

function readFilter(options: CommandInput["options"]): Filter {
  const [session, skill, type] = ["session", "skill", "type"].map((name) => textOption(options, name));
  if (type !== undefined) rejectUnknown(type);
  return ({ event }) =>
    (session === undefined || ("session" in event && event.session === session)) &&
    (skill === undefined || ("skill" in event && event.skill === skill)) &&
    (type === undefined || event.type === type);
}

/** Of a type that there is not nothing is recorded, now or ever. */
function rejectUnknown(type: string): void {
  const types = SkillEvent.options.map(({ shape }): string => shape.type.value);
  if (types.includes(type)) return;
  throw new SkillError("USAGE", `There is no event of the type ${JSON.stringify(type)}.`, {
    hint: didYouMean(suggest(type, types)) ?? `The types are ${types.join(", ")}.`,
  });
}

/** Read from the end, a page at a time, until there are enough. */
async function findLast(
  count: number,
  end: number,
  filter: Filter,
  store: RegistryStore,
): Promise<readonly StoredEvent[]> {
  let found: readonly StoredEvent[] = [];
  for (let before = end; before > 0 && found.length < count; before -= PAGE) {
    const start = Math.max(0, before - PAGE);
    const page = await store.eventsAfter(start, before - start);
    found = [...page.filter((stored) => stored.seq <= before && filter(stored)), ...found];
  }
  return count === 0 ? [] : found.slice(-count);
}

async function findBetween(
  after: number,
  end: number,
  filter: Filter,
  store: RegistryStore,
): Promise<readonly StoredEvent[]> {
  const found: StoredEvent[] = [];
  for (let last = after; last < end; ) {
    const page = await store.eventsAfter(last, Math.min(PAGE, end - last));
    if (page.length === 0) break;
    found.push(...page.filter(filter));
    last = page.at(-1)?.seq ?? end;
  }
  return found;
}

async function follow(after: number, filter: Filter, io: Io, store: RegistryStore): Promise<void> {
  const ending = new AbortController();
  const signal = AbortSignal.any([io.signal, ending.signal]);
  // What waits for commits does not keep a process alive.
  const alive = untilAborted(signal);
  try {
    for await (const stored of followEvents(after, { signal }, store))
      if (filter(stored)) await printEvent(io, stored);
  } finally {
    ending.abort();
    await alive;
  }
}

async function printEvents(io: Io, events: readonly StoredEvent[]): Promise<void> {
  for (const stored of events) await printEvent(io, stored);
}

/** Each on one line: its number, time and type, and what else it says. */
async function printEvent(io: Io, stored: StoredEvent): Promise<void> {
  if (io.json) {
    printLine(io, { ok: true, data: stored });
    return;
  }
  const paint = await paintFor(io.color);
  const { at, type, ...rest } = stored.event;
  const details = Object.entries(rest)
    .filter(
      ([, value]) => typeof value === "string" || typeof value === "number" || typeof value === "boolean",
    )
    .map(([name, value]) => `${name}=${neutralText(String(value), 120)}`);
  io.out(`${stored.seq} ${paint.dim(at)} ${paint.cyan(type)} ${details.join(" ")}\n`);
}
