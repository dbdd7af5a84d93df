const DAY_MS = 86_400_000;
const format = new Intl.DateTimeFormat("en-GB", { weekday: "long", day: "numeric", month: "long" });
const formatYear = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", year: "numeric" });

/** The day of a moment, as one calls it today. */
export function dayOf(at: string, now: Date): string {
  const date = new Date(at);
  const days = Math.round((startOf(now) - startOf(date)) / DAY_MS);
  if (days === 0) return "Today";
  if (days === 1) return "Yesterday";
  return (date.getFullYear() === now.getFullYear() ? format : formatYear).format(date);
}

function startOf(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}

/** Items of the same day that follow one another, together. */
export function byDay<T>(
  items: readonly T[],
  atOf: (item: T) => string,
  now: Date,
): readonly { readonly day: string; readonly items: readonly T[] }[] {
  const days: { readonly day: string; readonly items: T[] }[] = [];
  for (const item of items) {
    const day = dayOf(atOf(item), now);
    const last = days.at(-1);
    if (last?.day === day) last.items.push(item);
    else days.push({ day, items: [item] });
  }
  return days;
}
