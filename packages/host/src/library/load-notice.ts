import type { Library, Viewer } from "@skillhold/core/library";
import type { SkillEntry } from "@skillhold/protocol";
import { listRuntimeSkips } from "@skillhold/skill";

/** A log line about a skill that was loaded or skipped. */
export interface LoadNotice {
  readonly id: string;
  readonly code: string;
  readonly message: string;
}

const LOGGED: ReadonlySet<string> = new Set(["RUNTIME_MALFORMED", "BODY_TOO_MANY_TOKENS"]);

/** Warnings that belong in the log of a loader: a malformed `runtime`, and instructions above the advised size. */
export function loadWarnings(entries: readonly SkillEntry[]): readonly LoadNotice[] {
  return entries.flatMap(({ id, diagnostics }) =>
    diagnostics
      .filter(({ code }) => LOGGED.has(code))
      .map(({ code, message }) => ({ id, code, message: `${id}: ${message}` })),
  );
}

/** The skills that a viewer does not get, because they are for other runtimes. */
export function runtimeSkips(
  entries: readonly SkillEntry[],
  { runtime: current }: Pick<Viewer, "runtime">,
): readonly LoadNotice[] {
  return listRuntimeSkips(entries, current).map((skip) => ({ ...skip, code: "RUNTIME_SKIPPED" }));
}

/** Logs the notices of a library now and after each change. A notice that still applies is not repeated. */
export function followNotices(
  library: Pick<Library, "onChange">,
  read: () => readonly LoadNotice[],
  log: (notice: LoadNotice) => void,
): void {
  let known: ReadonlySet<string> = new Set();
  const report = () => {
    const notices = new Map(read().map((notice) => [`${notice.code} ${notice.message}`, notice]));
    const before = known;
    known = new Set(notices.keys());
    for (const [key, notice] of notices) if (!before.has(key)) log(notice);
  };
  report();
  library.onChange(report);
}
