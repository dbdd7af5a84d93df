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

/**
 * Logs the notices of a library now, and those of the changed skills after each change. `read` may return more than those of
 * the given skills. A notice that still applies is not repeated.
 */
export function followNotices(
  library: Pick<Library, "onChange">,
  read: (ids?: readonly string[]) => readonly LoadNotice[],
  log: (notice: LoadNotice) => void,
): void {
  /** The skill of each notice that applies. */
  const known = new Map<string, string>();
  const report = (ids?: readonly string[]) => {
    const changed = new Set(ids);
    const notices = new Map(read(ids).map((notice) => [`${notice.code} ${notice.message}`, notice]));
    for (const [key, id] of known) if (changed.has(id) && !notices.has(key)) known.delete(key);
    for (const [key, notice] of notices) {
      if (!known.has(key)) log(notice);
      known.set(key, notice.id);
    }
  };
  report();
  library.onChange(({ added, changed, removed }) => report([...added, ...changed, ...removed]));
}
