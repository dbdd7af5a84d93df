/** Drops the fields that are undefined, so that an omitted field stays omitted. */
export function definedFields<Fields extends object>(
  fields: Fields,
): { [Key in keyof Fields]: Exclude<Fields[Key], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  // In a parsed request only optional fields can be undefined, and those may be dropped.
  return Object.fromEntries(entries) as { [Key in keyof Fields]: Exclude<Fields[Key], undefined> };
}
