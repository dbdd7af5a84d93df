/** The fields that have a value: what was left out stays left out. */
export function present<Fields extends object>(
  fields: Fields,
): { [Key in keyof Fields]: Exclude<Fields[Key], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  // A field that may be undefined is optional in what a request is parsed to, and only those are left out.
  return Object.fromEntries(entries) as { [Key in keyof Fields]: Exclude<Fields[Key], undefined> };
}
