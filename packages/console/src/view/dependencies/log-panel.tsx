import type { DependencyEvent } from "@skillhold/protocol/http";
import { useCallback, useState } from "react";
import { useProgress } from "../../api/live.ts";
import { Dot } from "../../ui/badge.tsx";
import { Panel } from "../../ui/page.tsx";
import { type LogLine, withEvent } from "./work-log.ts";

/** The dependency events since the page was opened. */
export function LogPanel() {
  const [log, setLog] = useState<readonly LogLine[]>([]);
  const listen = useCallback(
    (event: DependencyEvent) => setLog((before) => withEvent(before, event, new Date().toISOString())),
    [],
  );
  useProgress(listen);
  return (
    <Panel title="Log">
      {log.length === 0 ? (
        <p className="px-4 py-3 text-sm text-muted">
          Scans and installs appear here while this page is open.
        </p>
      ) : (
        <section
          aria-label="Log, newest first"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard.
          tabIndex={0}
          className="max-h-72 overflow-y-auto"
        >
          <ol aria-live="polite" className="space-y-1 px-4 py-3 text-sm">
            {log.map(({ key, at, text, tone }) => (
              <li key={key} className="flex items-baseline gap-2.5">
                <time dateTime={at} className="font-mono text-xs text-faint">
                  {at.slice(11, 19)}
                </time>
                <Dot tone={tone} />
                <span className="min-w-0 break-words">{text}</span>
              </li>
            ))}
          </ol>
        </section>
      )}
    </Panel>
  );
}
