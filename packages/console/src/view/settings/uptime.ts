const units = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;

/** How long something has been there. */
export function uptimeOf(since: string, now: number): string {
  return spanOf(now - Date.parse(since));
}

/** A time in the two units that say most. */
export function spanOf(ms: number): string {
  let left = Math.max(0, Math.floor(ms / 1000));
  const parts: string[] = [];
  for (const [name, size] of units) {
    const number = Math.floor(left / size);
    left -= number * size;
    if (number > 0) parts.push(`${number} ${name}${number === 1 ? "" : "s"}`);
  }
  return parts.length === 0 ? "less than a minute" : parts.slice(0, 2).join(" ");
}
