import type { ServerContext } from "@modelcontextprotocol/server";
import type { ToolRunOptions } from "@skillhold/core/session";
import { neutralText } from "@skillhold/core/text";

/** The minimum time between two notifications for output. */
const MIN_INTERVAL_MS = 250;
/** The heartbeat, for clients that time out without progress. */
const HEARTBEAT_MS = 5000;
const LINE_LENGTH = 200;
const RUNNING = "Still running.";
const WAITING = "Waiting for an approval.";

/** Reports the progress of a call to a client that asked for it. */
export interface CallProgress {
  readonly onOutput?: NonNullable<ToolRunOptions["onOutput"]>;
  readonly onWait?: (isWaiting: boolean) => void;
  stop(): void;
}

export function reportProgress({ mcpReq }: ServerContext, onError: (error: unknown) => void): CallProgress {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return { stop: () => {} };
  const started = performance.now();
  let lastAt = started;
  let last = 0;
  const notify = (message: string) => {
    const now = performance.now();
    // The value must increase, even for two notifications in one millisecond.
    last = Math.max(last + 1, Math.round(now - started));
    lastAt = now;
    const params = { progressToken, progress: last, message };
    mcpReq.notify({ method: "notifications/progress", params }).catch(onError);
  };
  let state = RUNNING;
  const heartbeat = setInterval(() => notify(state), HEARTBEAT_MS).unref();
  return {
    onOutput: (_stream, chunk) => {
      if (performance.now() - lastAt < MIN_INTERVAL_MS) return;
      const line = new TextDecoder().decode(chunk).trimEnd().split("\n").at(-1) ?? "";
      notify(neutralText(line, LINE_LENGTH));
    },
    onWait: (isWaiting) => {
      state = isWaiting ? WAITING : RUNNING;
      if (isWaiting) notify(state);
    },
    stop: () => clearInterval(heartbeat),
  };
}
