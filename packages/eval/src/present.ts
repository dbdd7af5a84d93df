/** The object without the fields that are undefined, for fields whose absence has a meaning. */
export function present<Fields extends object>(
  fields: Fields,
): { readonly [Key in keyof Fields]?: Exclude<Fields[Key], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  // Only fields with a value are left, each under its own key.
  return Object.fromEntries(entries) as { readonly [Key in keyof Fields]?: Exclude<Fields[Key], undefined> };
}
