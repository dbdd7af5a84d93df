import { neutralText } from "@skillhold/core/text";
import { SkillEvent } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { followEvents } from "@skillhold/registry/audit";
import type { RegistryStore, StoredEvent } from "@skillhold/registry/record";
import { didYouMean, suggest } from "@skillhold/skill/suggest";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { countOption, textOption } from "../../option.ts";
import { storeOption } from "../../shared-option.ts";
import { withRegistry } from "../../store.ts";
import { untilAborted } from "../../terminal/interrupt.ts";
import { type ExitCode, type Io, printData, printLine } from "../../terminal/output.ts";
import { cutToWidth, textWidth } from "../../terminal/table.ts";
import { paintFor } from "../../terminal/text.ts";

const INTERRUPTED = 130;
const PAGE = 1000;
const MOST_LINES = 100_000;

type Filter = (stored: StoredEvent) => boolean;

const optionSpecs = [
  { flags: "--lines <count>", summary: "print this many events", default: "20" },
  { flags: "--follow", summary: "keep printing new events" },
  { flags: "--after <number>", summary: "print all events after this number" },
  { flags: "--session <id>", summary: "print only events of this session" },
  { flags: "--skill <id>", summary: "print only events about this skill" },
  { flags: "--type <name>", summary: "print only events of this type" },
  storeOption,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [],
  options: optionSpecs,
  examples: ["audit tail", "audit tail --follow", "audit tail --skill pdf --type skill.activated"],
  run,
});

/** Prints the latest audit events, and new ones with `--follow`. */
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

/** An unknown type would silently match no event. */
function rejectUnknown(type: string): void {
  const types = SkillEvent.options.map(({ shape }): string => shape.type.value);
  if (types.includes(type)) return;
  throw new SkillError("USAGE", `${JSON.stringify(type)} is not an event type.`, {
    hint: didYouMean(suggest(type, types)) ?? `The types are ${types.join(", ")}.`,
  });
}

/** Reads pages from the end until there are enough events. */
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
  // Waiting for commits alone does not keep the process alive.
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

/** Prints one event per line: number, time, type and scalar fields. On a terminal, no line wraps. */
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
    .map(([name, value]): Detail => [name, neutralText(String(value), 120)]);
  const time = io.isOutTty ? at.slice(0, "2026-01-01T00:00:00".length).replace("T", " ") : at;
  const used = `${stored.seq} ${time} ${type} `.length;
  const shown = io.isOutTty ? fitDetails(details, io.columns - 1 - used) : joinDetails(details);
  io.out(`${stored.seq} ${paint.dim(time)} ${paint.cyan(type)} ${shown}\n`);
}

type Detail = readonly [name: string, value: string];

/** Enough of a hash or an id to recognize it. */
const SHORT_VALUE = 12;

/** Long values are shortened first, so that more fields are visible. */
function fitDetails(details: readonly Detail[], width: number): string {
  const whole = joinDetails(details);
  if (textWidth(whole) <= width) return whole;
  const short = details.map(
    ([name, value]): Detail => [name, cutToWidth(value.replace(/^sha256:/, ""), SHORT_VALUE)],
  );
  // The skill is what most readers look for.
  const ordered = short.toSorted(([a], [b]) => Number(b === "skill") - Number(a === "skill"));
  return cutToWidth(joinDetails(ordered), width);
}

function joinDetails(details: readonly Detail[]): string {
  return details.map(([name, value]) => `${name}=${value}`).join(" ");
}
