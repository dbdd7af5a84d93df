import type { ServerContext } from "@modelcontextprotocol/server";
import type { ToolRunOptions } from "@skillhold/core/session";
import { neutralText } from "@skillhold/core/text";

/** Not more often than this, whatever a script prints. */
const PACE_MS = 250;
/** A client that gives up on silence hears at least this often. */
const PULSE_MS = 5000;
const LINE_LENGTH = 200;
const UNDER_WAY = "Still running.";
const WAITING = "Waiting for someone's approval.";

/** Tells a client that asked for it how a call goes on. */
export interface Progress {
  readonly onOutput?: NonNullable<ToolRunOptions["onOutput"]>;
  readonly onWait?: (isWaiting: boolean) => void;
  stop(): void;
}

export function reportProgress({ mcpReq }: ServerContext, onError: (error: unknown) => void): Progress {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return { stop: () => {} };
  const started = performance.now();
  let lastAt = started;
  let told = 0;
  const tell = (message: string) => {
    const now = performance.now();
    // It must grow with each note, and there may be two in one millisecond.
    told = Math.max(told + 1, Math.round(now - started));
    lastAt = now;
    const params = { progressToken, progress: told, message };
    mcpReq.notify({ method: "notifications/progress", params }).catch(onError);
  };
  let state = UNDER_WAY;
  const pulse = setInterval(() => tell(state), PULSE_MS).unref();
  return {
    onOutput: (_stream, chunk) => {
      if (performance.now() - lastAt < PACE_MS) return;
      const line = new TextDecoder().decode(chunk).trimEnd().split("\n").at(-1) ?? "";
      tell(neutralText(line, LINE_LENGTH));
    },
    onWait: (isWaiting) => {
      state = isWaiting ? WAITING : UNDER_WAY;
      if (isWaiting) tell(state);
    },
    stop: () => clearInterval(pulse),
  };
}
