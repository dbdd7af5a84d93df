import { useSearchParams } from "wouter";
import { useCanPublish } from "./session.tsx";

/** The agent that the address says to look as. Who may look as none has only their own eyes, whatever it says. */
export function useAgent(): string {
  const [search] = useSearchParams();
  return useCanPublish() ? (search.get("agent") ?? "") : "";
}
