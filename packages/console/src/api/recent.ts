const KEY = "skillhold.recent";
const MOST = 8;

/** The skills that were looked at last, the latest first; kept in this browser alone. */
export const recent = {
  read: (): readonly string[] => readIds(localStorage.getItem(KEY)),
  add: (id: string) => localStorage.setItem(KEY, JSON.stringify(withFirst(recent.read(), id))),
  forget: () => localStorage.removeItem(KEY),
};

export function withFirst(ids: readonly string[], id: string): readonly string[] {
  return [id, ...ids.filter((each) => each !== id)].slice(0, MOST);
}

/** Reads the stored ids and drops invalid ones: any page on this origin can write to the storage. */
export function readIds(text: string | null): readonly string[] {
  try {
    const kept: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(kept) ? kept.filter((id) => typeof id === "string").slice(0, MOST) : [];
  } catch {
    return [];
  }
}
