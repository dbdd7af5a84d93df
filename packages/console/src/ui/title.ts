import { useEffect } from "react";

let name = "";
let waiting = 0;

function apply(): void {
  const own = name === "" ? "Skillhold" : `${name} · Skillhold`;
  document.title = waiting === 0 ? own : `(${waiting}) ${own}`;
}

/** Names the page in the title of the browser. */
export function useTitle(title: string): void {
  useEffect(() => {
    name = title;
    apply();
  }, [title]);
}

/** Shows in the title how many things wait for the user, whichever view is open. */
export function useTitleCount(count: number): void {
  useEffect(() => {
    waiting = count;
    apply();
    return () => {
      waiting = 0;
      apply();
    };
  }, [count]);
}
