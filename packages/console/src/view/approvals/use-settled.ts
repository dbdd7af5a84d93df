import { useEffect, useState } from "react";

const SETTLE_MS = 400;

/** Whether something has been as it is for long enough that someone who acts has seen it so. */
export function useSettled(value: string | number | undefined): boolean {
  const [settled, setSettled] = useState<string | number>();
  useEffect(() => {
    setSettled(undefined);
    const timer = window.setTimeout(() => setSettled(value), SETTLE_MS);
    return () => window.clearTimeout(timer);
  }, [value]);
  return value !== undefined && settled === value;
}
