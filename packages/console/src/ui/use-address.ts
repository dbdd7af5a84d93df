import { useSearchParams } from "wouter";

/** What the address says after its `?`, and the way to change one thing of it. Empty is the same as left out. */
export function useAddress(): readonly [(name: string) => string, (name: string, value: string) => void] {
  const [search, setSearch] = useSearchParams();
  const read = (name: string) => search.get(name) ?? "";
  const write = (name: string, value: string) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        if (value === "") next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  return [read, write];
}

/** Those of these that are not empty, as a query takes them. */
export function given<N extends string>(values: Readonly<Record<N, string>>): { readonly [K in N]?: string } {
  const entries = Object.entries<string>(values).filter(([, value]) => value !== "");
  // The names are among those that were given.
  return Object.fromEntries(entries) as { readonly [K in N]?: string };
}
