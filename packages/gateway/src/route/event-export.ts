import type { EventQuery, ListedEvent, RegistryReader } from "@skillhold/registry/record";

export type EventFilter = Omit<EventQuery, "after" | "before" | "order" | "limit">;

export type ExportFormat = "csv" | "jsonl";

const PAGE_SIZE = 500;
const COLUMNS = ["seq", "at", "type", "skill", "session", "agent", "person", "run", "target", "event"];

/** The events of a filter, page by page; a slow client holds back the next page. */
export function streamEvents(
  filter: EventFilter,
  format: ExportFormat,
  store: Pick<RegistryReader, "listEvents">,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const write = format === "csv" ? csvLine : jsonLine;
  let after = 0;
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        if (format === "csv") controller.enqueue(encoder.encode(`${COLUMNS.join(",")}\r\n`));
      },
      pull: async (controller) => {
        const page = await store.listEvents({ ...filter, after, order: "oldest", limit: PAGE_SIZE });
        if (page.length > 0) controller.enqueue(encoder.encode(page.map(write).join("")));
        after = page.at(-1)?.seq ?? after;
        if (page.length < PAGE_SIZE) controller.close();
      },
    },
    { highWaterMark: 1 },
  );
}

function jsonLine({ seq, event, agent, person }: ListedEvent): string {
  return `${JSON.stringify({ seq, agent, person, event })}\n`;
}

/** RFC 4180. */
function csvLine({ seq, event, agent, person }: ListedEvent): string {
  const field = (name: string) => {
    const value: unknown = (event as Readonly<Record<string, unknown>>)[name];
    return typeof value === "string" ? value : "";
  };
  const cells = [
    String(seq),
    event.at,
    event.type,
    ...[field("skill"), field("session"), agent ?? "", person ?? "", field("run"), field("target")],
    JSON.stringify(event),
  ];
  return `${cells.map(cell).join(",")}\r\n`;
}

/** Quoted where needed. A cell that a spreadsheet would run as a formula starts with an apostrophe. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
