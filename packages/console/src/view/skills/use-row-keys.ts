import { useEffect, useRef, useState } from "react";

export interface RowKeys {
  readonly onMove: (at: number) => void;
  readonly onOpen: (at: number) => void;
  readonly onChoose: (at: number) => void;
}

/** Goes through rows with `j` and `k`, chooses with `x` and opens with Enter. Answers with the row that one is at. */
export function useRowKeys(count: number, keys: RowKeys): number | undefined {
  const [at, setAt] = useState<number>();
  const latest = useRef({ at, count, keys });
  latest.current = { at, count, keys };
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { at: here, count: size, keys: now } = latest.current;
      if (size === 0 || event.metaKey || event.ctrlKey || event.altKey || isElsewhere(event.target)) return;
      const next = nextRow(event.key, here, size);
      if (next !== undefined) {
        setAt(next);
        now.onMove(next);
      } else if (here !== undefined && event.key === "x") now.onChoose(here);
      else if (here !== undefined && event.key === "Enter" && event.target === document.body)
        now.onOpen(here);
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, []);
  return at === undefined || at >= count ? undefined : at;
}

function nextRow(key: string, here: number | undefined, size: number): number | undefined {
  if (key === "j") return here === undefined ? 0 : Math.min(here + 1, size - 1);
  if (key === "k") return here === undefined ? 0 : Math.max(here - 1, 0);
  return undefined;
}

function isElsewhere(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    /^(TEXTAREA|SELECT)$/.test(target.tagName) || isTextInput(target) || target.closest("dialog") !== null
  );
}

function isTextInput(target: HTMLElement): boolean {
  return target instanceof HTMLInputElement && target.type !== "checkbox";
}
