import { useEffect, useRef } from "react";
import type { Answered } from "./answer.ts";

export interface AnswerKeys {
  readonly onAnswer: (answer: Answered) => void;
  /** By so many questions, down or up. */
  readonly onMove: (by: 1 | -1) => void;
}

const keys: Readonly<Record<string, Answered>> = { a: "once", c: "content", d: "deny" };
const moves: Readonly<Record<string, 1 | -1>> = { j: 1, k: -1 };
const GO_MS = 1200;

/** Answers the current question by a single key outside text fields. Key repeat does not answer again. */
export function useAnswerKeys(actions: AnswerKeys): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    let pressedG = Number.NEGATIVE_INFINITY;
    const press = (event: KeyboardEvent) => {
      if (event.metaKey || event.ctrlKey || event.altKey || isWriting(event.target)) return;
      // After `g` a letter goes to another view.
      const isGoing = performance.now() - pressedG < GO_MS;
      pressedG = event.key === "g" && !isGoing ? performance.now() : Number.NEGATIVE_INFINITY;
      if (isGoing) return;
      const answer = keys[event.key];
      const by = moves[event.key];
      if (answer !== undefined && !event.repeat) latest.current.onAnswer(answer);
      if (by !== undefined) latest.current.onMove(by);
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, []);
}

function isWriting(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("input, textarea, select, dialog") !== null;
}
