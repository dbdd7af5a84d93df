/** Frontmatter as data. Objects have no prototype, so `__proto__` and `constructor` are ordinary keys. */
export type FrontmatterValue =
  | string
  | number
  | boolean
  | null
  | readonly FrontmatterValue[]
  | { readonly [key: string]: FrontmatterValue };

export type FrontmatterMap = { readonly [key: string]: FrontmatterValue };

export function isMap(value: FrontmatterValue | undefined): value is FrontmatterMap {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The strings of a list, or a single string as a list. Other values are dropped. */
export function textList(value: FrontmatterValue | undefined): readonly string[] {
  if (typeof value === "string") return value === "" ? [] : [value];
  if (!Array.isArray(value)) return [];
  return value.filter((item): item is string => typeof item === "string" && item !== "");
}

export function textOf(value: FrontmatterValue | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
