const MOST_LENGTH = 128;

/** The tags in a text, separated by commas; each once. */
export function readTags(text: string): readonly string[] {
  const tags = text.split(",").map((tag) => tag.trim().slice(0, MOST_LENGTH));
  return [...new Set(tags.filter((tag) => tag !== ""))];
}

/** The tags after the change; the same list if it changes none. */
export function changeTags(
  own: readonly string[],
  tags: readonly string[],
  act: "add" | "remove",
): readonly string[] {
  const fitting = tags.filter((tag) => own.includes(tag) === (act === "remove"));
  if (fitting.length === 0) return own;
  return act === "add" ? [...own, ...fitting] : own.filter((tag) => !fitting.includes(tag));
}
