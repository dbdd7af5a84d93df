import { Columns2, Rows2 } from "lucide-react";
import { useSyncExternalStore } from "react";
import { Button } from "../../../ui/button.tsx";

export type DiffLook = "split" | "unified";

const KEY = "skillhold.diff";
const listeners = new Set<() => void>();

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function read(): DiffLook {
  return localStorage.getItem(KEY) === "unified" ? "unified" : "split";
}

/** How diffs look in this browser. */
export function useDiffLook(): DiffLook {
  return useSyncExternalStore(listen, read);
}

/** Switches all diffs; narrow screens have only the unified look. */
export function DiffLookButton() {
  const look = useDiffLook();
  const next: DiffLook = look === "split" ? "unified" : "split";
  return (
    <span className="max-lg:hidden">
      <Button
        look="quiet"
        icon={next === "split" ? Columns2 : Rows2}
        onClick={() => {
          localStorage.setItem(KEY, next);
          for (const listener of listeners) listener();
        }}
      >
        {next === "split" ? "Side by side" : "Unified"}
      </Button>
    </span>
  );
}
