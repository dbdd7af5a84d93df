import { useSearchParams } from "wouter";
import { useCanPublish } from "./session.tsx";

/** The agent in the address to view as. Users who cannot publish always view as themselves. */
export function useAgent(): string {
  const [search] = useSearchParams();
  return useCanPublish() ? (search.get("agent") ?? "") : "";
}
