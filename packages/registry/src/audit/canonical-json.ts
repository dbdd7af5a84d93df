/** JSON with sorted keys and without whitespace, so that equal data gives equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, each) => (isMap(each) ? sortKeys(each) : each));
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function sortKeys(map: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const sorted: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(map).sort()) sorted[key] = map[key];
  return sorted;
}
