/** The Python code of a Jupyter notebook, cell after cell; undefined when it is none, or of another language. */
export function notebookCode(text: string): string | undefined {
  const root = parse(text);
  const cells = fieldOf(root, "cells");
  const language = fieldOf(fieldOf(fieldOf(root, "metadata"), "kernelspec"), "language");
  if (!Array.isArray(cells) || (typeof language === "string" && language !== "python")) return undefined;
  return cells
    .filter((cell) => fieldOf(cell, "cell_type") === "code")
    .map((cell) => withoutMagic(sourceOf(fieldOf(cell, "source"))))
    .join("\n");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // JSON.parse throws on every text it cannot read; the caller notes it.
    return undefined;
  }
}

function fieldOf(value: unknown, key: string): unknown {
  // Any object may be asked for any key.
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}

function sourceOf(source: unknown): string {
  return Array.isArray(source)
    ? source.filter((line) => typeof line === "string").join("")
    : String(source ?? "");
}

/** `%magic` and `!command` lines are no Python; a cell that starts with `%%` is another language altogether. */
function withoutMagic(code: string): string {
  return /^\s*%%/.test(code) ? "" : code.replace(/^[ \t]*[%!].*$/gm, "");
}
