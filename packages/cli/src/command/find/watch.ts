import type { LibraryChange } from "@skillhold/core/library";
import { neutralText } from "@skillhold/core/text";
import { SkillError } from "@skillhold/protocol/error";
import { type CommandInput, defineCommand, type OptionsOf } from "../../command.ts";
import { type Opened, withLibrary } from "../../open.ts";
import { readingOptions } from "../../shared-option.ts";
import { untilAborted } from "../../terminal/interrupt.ts";
import { type ExitCode, type Io, plain, printLine } from "../../terminal/output.ts";
import { count, paintFor } from "../../terminal/text.ts";

const INTERRUPTED = 130;

export const command = defineCommand({
  arguments: [],
  options: readingOptions,
  examples: ["watch", "watch --root ./skills --json"],
  run,
});

/** Prints changes in folders and the store as they happen, until an interrupt or until a gateway rejects the token. */
async function run(input: CommandInput<OptionsOf<typeof readingOptions>>): Promise<ExitCode> {
  const { io } = input;
  const paint = await paintFor(io.color);
  const refused = new AbortController();
  const onError = (error: unknown) => {
    if (isRefused(error)) refused.abort(error);
    else printProblem(io, error);
  };
  return await withLibrary<ExitCode>(
    input,
    async (opened) => {
      const { library, inspect, sources, store } = opened;
      if (sources.length === 0 && store === undefined)
        throw new SkillError("PATH_NOT_FOUND", "No folder with skills to watch was found.", {
          hint: "Name a folder with --root, or create .agents/skills.",
        });
      const { mode } = inspect();
      const known = disclosedIds(opened);
      const skills = known.size;
      if (io.json) printLine(io, { ok: true, data: { skills, mode } });
      else
        io.err(
          `${count(skills, "skill")} in ${count(sources.length + (store === undefined ? 0 : 1), "source")} (mode ${mode}); press Ctrl-C to stop\n`,
        );
      const stop = library.onChange((all) => {
        const change = disclosedPart(all, known, opened);
        if (change === undefined) return;
        if (io.json) printLine(io, { ok: true, data: { at: new Date().toISOString(), ...change } });
        else io.out(formatChange(change, paint));
      });
      await untilAborted(AbortSignal.any([io.signal, refused.signal]));
      stop();
      refused.signal.throwIfAborted();
      return INTERRUPTED;
    },
    { watch: { onError } },
  );
}

/** The gateway no longer accepts the token, so no further change can arrive. */
function isRefused(error: unknown): boolean {
  return error instanceof SkillError && error.code === "UNAUTHENTICATED";
}

function disclosedIds({ inspect, isDisclosed }: Opened): Set<string> {
  return new Set(inspect().view.entries.flatMap((entry) => (isDisclosed(entry) ? [entry.id] : [])));
}

/** The part of a change that the user may see; a removed skill counts when it was visible before. */
function disclosedPart(
  { added, changed, removed, broken }: LibraryChange,
  known: Set<string>,
  { inspect, isDisclosed }: Opened,
): LibraryChange | undefined {
  const { view } = inspect();
  const isTheirs = (id: string) => {
    const entry = view.find(id);
    return entry === undefined ? known.has(id) : isDisclosed(entry);
  };
  const part = {
    added: added.filter(isTheirs),
    changed: changed.filter((id) => isTheirs(id) || known.has(id)),
    removed: removed.filter(isTheirs),
    broken: broken.filter(({ id }) => isTheirs(id)),
  };
  for (const id of [...added, ...changed, ...removed]) {
    if (view.find(id) !== undefined && isTheirs(id)) known.add(id);
    else known.delete(id);
  }
  return Object.values(part).some((ids) => ids.length > 0) ? part : undefined;
}

/** Formats one reload as a block; its first line starts with the time. */
function formatChange(
  { added, changed, removed, broken }: LibraryChange,
  paint: Awaited<ReturnType<typeof paintFor>>,
): string {
  const isBroken = new Set(broken.map(({ id }) => id));
  const lines = [
    ...added.map((id) => paint.green(`+${id}`)),
    ...changed.filter((id) => !isBroken.has(id)).map((id) => paint.yellow(`~${id}`)),
    ...removed.map((id) => paint.red(`-${id}`)),
    ...broken.map(({ id, message }) => paint.red(`!${id}: ${neutralText(message)}`)),
  ];
  const time = new Date().toTimeString().slice(0, 8);
  return lines.map((line, index) => `${index === 0 ? time : " ".repeat(time.length)} ${line}\n`).join("");
}

function printProblem(io: Io, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  if (io.json)
    printLine(io, {
      ok: false,
      error: { code: "IO_FAILED", message, hint: "Skillhold retries on the next change." },
    });
  else io.err(`warning: the reload failed: ${plain(message)}\n`);
}
