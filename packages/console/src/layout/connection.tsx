import { type LiveState, useLiveState } from "../api/live.ts";
import { Dot, type Tone } from "../ui/badge.tsx";

const states: Readonly<Record<LiveState, readonly [Tone, string]>> = {
  live: ["good", "Live"],
  connecting: ["info", "Connecting"],
  lost: ["warn", "Reconnecting"],
  off: ["neutral", "Offline"],
};

/** Shows whether the views receive live updates. */
export function Connection() {
  const state = useLiveState();
  const [tone, text] = states[state];
  return (
    <span role="status" className="flex items-center gap-1.5 text-xs text-muted" title="Live updates">
      <Dot tone={tone} isPulsing={state !== "live"} />
      {text}
    </span>
  );
}
