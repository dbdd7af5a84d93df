import { resolve } from "node:path";
import type { AuditRow, RegistryStore } from "@skillhold/registry/record";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { countOption, textOption } from "../../option.ts";
import { storeOption } from "../../shared-option.ts";
import { withRegistry } from "../../store.ts";
import { writeOutFile } from "../../terminal/out-path.ts";
import { type ExitCode, printData } from "../../terminal/output.ts";

const PAGE = 1000;

const optionSpecs = [
  { flags: "--out <file>", summary: "write to this file; by default standard output" },
  { flags: "--after <number>", summary: "write only entries after this number" },
  storeOption,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [],
  options: optionSpecs,
  examples: ["audit export --out audit.jsonl", "audit export --after 1000"],
  run,
});

/** Writes the audit log as stored: one line per entry, then the signed checkpoint. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  const after = countOption(options, "after", { min: 0 }) ?? 0;
  const out = textOption(options, "out");
  return await withRegistry<ExitCode>(input, "read", async ({ context: { store } }) => {
    // Read first, so that the checkpoint covers exactly the exported entries.
    const head = await store.findHead();
    const lines: string[] = [];
    let entries = 0;
    for await (const row of rowsAfter(after, head?.seq, store)) {
      entries += 1;
      if (out === undefined && !io.json) io.out(formatRow(row));
      else lines.push(formatRow(row));
      io.signal.throwIfAborted();
    }
    const note = head?.note;
    const last = note === undefined ? "" : `${JSON.stringify({ note })}\n`;
    if (out === undefined && !io.json) io.out(last);
    if (out !== undefined) writeOutFile(resolve(io.cwd, out), out, Buffer.from(`${lines.join("")}${last}`));
    if (io.json) printData(io, { entries, note, ...(out === undefined ? { lines } : { out }) });
    else if (out !== undefined) io.err(`${entries} ${entries === 1 ? "entry" : "entries"} in ${out}\n`);
    return 0;
  });
}

async function* rowsAfter(
  after: number,
  last: number | undefined,
  store: RegistryStore,
): AsyncGenerator<AuditRow> {
  for (let seen = after; ; ) {
    const page = await store.auditAfter(seen, PAGE);
    yield* page.filter(({ seq }) => last === undefined || seq <= last);
    const end = page.at(-1);
    if (end === undefined || end.seq === last) return;
    seen = end.seq;
  }
}

/** The body stays a string, because the hash covers its exact bytes. */
function formatRow({ seq, hash, body }: AuditRow): string {
  return `${JSON.stringify({ seq, hash, body })}\n`;
}
