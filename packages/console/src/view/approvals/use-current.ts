import { useEffect, useRef, useState } from "react";
import { currentOf } from "./question.ts";

export interface Current {
  readonly id: string | undefined;
  readonly move: (id: string) => void;
  /** Whether it has been the current one for long enough that keys can be meant for it. */
  readonly isSettled: boolean;
}

const SETTLE_MS = 400;

/**
 * The question that keys are for. It is kept by its id, so that one which comes or goes never slips under a finger; and
 * one that has just become the current one takes no answer by a key yet.
 */
export function useCurrent(ids: readonly string[]): Current {
  const [chosen, setChosen] = useState<string>();
  const [settled, setSettled] = useState<string>();
  const before = useRef<readonly string[]>([]);
  const id = currentOf(ids, chosen, before.current);
  const key = ids.join(" ");
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list is another when its ids are.
  useEffect(() => {
    before.current = ids;
  }, [key]);
  useEffect(() => {
    setChosen(id);
    setSettled(undefined);
    const timer = window.setTimeout(() => setSettled(id), SETTLE_MS);
    return () => window.clearTimeout(timer);
  }, [id]);
  return { id, move: setChosen, isSettled: id !== undefined && settled === id };
}
