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

const SHOWN_MS = 7000;
let toasts: readonly Toast[] = [];
let next = 0;
const listeners = new Set<() => void>();

function set(value: readonly Toast[]): void {
  toasts = value;
  for (const listener of listeners) listener();
}

/** Says something that need not be answered; `undo` takes back what was done. */
export function toast(text: string, options: Partial<Omit<Toast, "id" | "text">> = {}): void {
  next += 1;
  const id = next;
  set([...toasts.slice(-3), { tone: "good", ...options, id, text }]);
  window.setTimeout(() => dismiss(id), SHOWN_MS);
}

/** Says that something failed, in the gateway's words. */
export function toastFailure(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  toast(message, { tone: "bad", ...(error instanceof ApiError ? { detail: error.hint } : {}) });
}

function dismiss(id: number): void {
  set(toasts.filter((each) => each.id !== id));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <div
      aria-live="polite"
      className="fixed right-4 bottom-4 z-50 flex w-80 max-w-[calc(100vw-2rem)] flex-col gap-2"
    >
      {shown.map(({ id, text, tone, detail, undo }) => (
        <div
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
        </div>
      ))}
    </div>
  );
}
