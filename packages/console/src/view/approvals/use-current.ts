import { useEffect, useRef, useState } from "react";
import { currentOf } from "./question.ts";
import { useSettled } from "./use-settled.ts";

export interface Current {
  readonly id: string | undefined;
  readonly move: (id: string) => void;
  /** Whether it has been the current one for long enough that keys can be meant for it. */
  readonly isSettled: boolean;
}

/**
 * The question that keys are for. It is kept by its id, so that one which comes or goes never slips under a finger; and
 * one that has just become the current one takes no answer by a key yet.
 */
export function useCurrent(ids: readonly string[]): Current {
  const [chosen, setChosen] = useState<string>();
  const before = useRef<readonly string[]>([]);
  const id = currentOf(ids, chosen, before.current);
  const key = ids.join(" ");
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list is another when its ids are.
  useEffect(() => {
    before.current = ids;
  }, [key]);
  useEffect(() => setChosen(id), [id]);
  const isSettled = useSettled(id);
  return { id, move: setChosen, isSettled };
}
