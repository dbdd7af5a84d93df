import { X } from "lucide-react";
import { useSyncExternalStore } from "react";
import { ApiError } from "../api/client.ts";
import { Dot } from "./badge.tsx";
import { Button, IconButton } from "./button.tsx";

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: "good" | "bad" | "info";
  readonly detail?: string;
  readonly undo?: () => void;
}

/** Toasts with an undo stay longer; a toast stays while it is hovered or focused. */
const SHOWN_MS = 7000;
const UNDO_MS = 15_000;
let toasts: readonly Toast[] = [];
let next = 0;
let isHeld = false;
const timers = new Map<number, number>();
const listeners = new Set<() => void>();

function set(value: readonly Toast[]): void {
  toasts = value;
  for (const listener of listeners) listener();
}

/** Shows a message that needs no answer; `undo` reverts the action. */
export function toast(text: string, options: Partial<Omit<Toast, "id" | "text">> = {}): void {
  next += 1;
  const id = next;
  set([...toasts.slice(-3), { tone: "good", ...options, id, text }]);
  start();
}

/** Starts the timers that are not running, unless the user hovers or focuses the toasts. */
function start(): void {
  if (isHeld) return;
  for (const { id, undo } of toasts) {
    if (timers.has(id)) continue;
    const shownMs = undo === undefined ? SHOWN_MS : UNDO_MS;
    timers.set(
      id,
      window.setTimeout(() => dismiss(id), shownMs),
    );
  }
}

function hold(): void {
  isHeld = true;
  for (const timer of timers.values()) window.clearTimeout(timer);
  timers.clear();
}

function release(): void {
  isHeld = false;
  start();
}

/** Says that something failed, in the gateway's words. */
export function toastFailure(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  toast(message, { tone: "bad", ...(error instanceof ApiError ? { detail: error.hint } : {}) });
}

function dismiss(id: number): void {
  window.clearTimeout(timers.get(id));
  timers.delete(id);
  set(toasts.filter((each) => each.id !== id));
  // A removed button fires no blur event, so the timers are released here.
  release();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <ul
      aria-label="Messages"
      aria-live="polite"
      onPointerEnter={hold}
      onPointerLeave={release}
      onFocus={hold}
      onBlur={release}
      className="fixed right-4 bottom-4 z-50 flex w-80 max-w-[calc(100vw-2rem)] flex-col gap-2"
    >
      {shown.map(({ id, text, tone, detail, undo }) => (
        <li
          key={id}
          className="flex items-start gap-2.5 rounded-lg border border-line bg-panel py-2 pr-1 pl-3 shadow-pop"
        >
          <span className="mt-2">
            <Dot tone={tone} />
          </span>
          <div className="min-w-0 flex-1 py-1 text-sm">
            <p className="break-words">{text}</p>
            {detail !== undefined && <p className="text-xs text-muted">{detail}</p>}
          </div>
          {undo !== undefined && (
            <Button
              look="quiet"
              onClick={() => {
                undo();
                dismiss(id);
              }}
            >
              Undo
            </Button>
          )}
          <IconButton icon={X} label="Dismiss" onClick={() => dismiss(id)} />
        </li>
      ))}
    </ul>
  );
}
