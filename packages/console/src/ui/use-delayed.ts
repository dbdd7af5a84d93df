import { useEffect, useState } from "react";

/** The value as it was when it last stayed the same for so long. */
export function useDelayed<T>(value: T, ms: number): T {
  const [delayed, setDelayed] = useState(value);
  useEffect(() => {
    const timer = window.setTimeout(() => setDelayed(value), ms);
    return () => window.clearTimeout(timer);
  }, [value, ms]);
  return delayed;
}
