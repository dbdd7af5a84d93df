import type { IndexedLibrary, Viewer } from "@skillhold/core/library";
import { listRuntimeSkips } from "@skillhold/skill";
import type { LogEntry } from "../telemetry/log.ts";

/** A log line per skill would flood the log of a large registry. */
const MOST_LINES = 20;
const MOST_RUNTIMES = 256;

/**
 * Logs the skills that a session does not get because they are for other runtimes, once per runtime until the skills
 * change.
 */
export class SkipLog {
  readonly #library: Pick<IndexedLibrary, "view" | "onChange">;
  readonly #log: (entry: LogEntry) => void;
  readonly #known = new Set<string>();

  constructor(library: Pick<IndexedLibrary, "view" | "onChange">, log: (entry: LogEntry) => void) {
    this.#library = library;
    this.#log = log;
    library.onChange(() => this.#known.clear());
  }

  note({ runtime }: Pick<Viewer, "runtime">): void {
    const key = [runtime].flat().join(",");
    if (this.#known.has(key)) return;
    if (this.#known.size >= MOST_RUNTIMES) this.#known.clear();
    this.#known.add(key);
    const skips = listRuntimeSkips(this.#library.view().entries, runtime);
    for (const { id, message } of skips.slice(0, MOST_LINES))
      this.#log({ level: "info", event: "skill.skipped", message, fields: { id, code: "RUNTIME_SKIPPED" } });
    if (skips.length > MOST_LINES)
      this.#log({
        level: "info",
        event: "skill.skipped",
        message: `${skips.length - MOST_LINES} more skills are not for runtime ${key}.`,
      });
  }
}
