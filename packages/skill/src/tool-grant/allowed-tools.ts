/**
 * Splits a value of `allowed-tools` into patterns: separated by spaces, commas or lines, a list, or the text of a
 * list. Text in parentheses stays together, including spaces, commas, quotes and nested parentheses, and so does a
 * name with the parenthesis after it (`Bash (git log:*)`), because the name alone would grant more. An unclosed
 * parenthesis consumes the rest, which then does not grant any tool.
 */
export function splitAllowedTools(value: string | readonly string[]): readonly string[] {
  return (typeof value === "string" ? [value] : value).flatMap(splitText);
}

/** The longest pattern. Anything longer counts as unclosed. */
export const MAX_PATTERN = 2048;

function splitText(text: string): readonly string[] {
  const inner = withoutBrackets(text.trim());
  const items: string[] = [];
  for (let at = skipGap(inner, 0); at < inner.length; ) {
    const end = endOfItem(inner, at);
    items.push(withoutQuotes(inner.slice(at, end).trim()));
    at = skipGap(inner, end);
  }
  return items.filter((item) => item !== "");
}

/** `[Read, Write]` as text, which repaired or quoted YAML gives. */
function withoutBrackets(text: string): string {
  return text.startsWith("[") && text.endsWith("]") ? text.slice(1, -1) : text;
}

function skipGap(text: string, from: number): number {
  let at = from;
  while (at < text.length && /[\s,]/.test(text.charAt(at))) at += 1;
  return at;
}

function endOfItem(text: string, from: number): number {
  const quote = text.charAt(from);
  if (isQuote(quote)) {
    const close = text.indexOf(quote, from + 1);
    const isWhole = close !== -1 && text.charAt(skipBlanks(text, close + 1)) !== "(";
    return isWhole ? close + 1 : text.length;
  }
  let at = from;
  while (at < text.length) {
    const character = text.charAt(at);
    if (character === "(") {
      at = afterParenthesis(text, at, true) ?? afterParenthesis(text, at, false) ?? text.length;
    } else if (character === ",") {
      return at;
    } else if (/\s/.test(character)) {
      const next = skipBlanks(text, at);
      if (text.charAt(next) !== "(") return at;
      at = next;
    } else {
      at += 1;
    }
  }
  return at;
}

/**
 * The end of the parenthesis that opens at `from`. Tried with quotes first, so that `(echo "a)b")` is one, then
 * without, so that `(echo don't)` is one too.
 */
function afterParenthesis(text: string, from: number, hasQuotes: boolean): number | undefined {
  let depth = 0;
  const limit = Math.min(text.length, from + MAX_PATTERN);
  for (let at = from; at < limit; at += 1) {
    const character = text.charAt(at);
    if (character === "(") depth += 1;
    else if (character === ")") depth -= 1;
    else if (hasQuotes && isQuote(character)) {
      at = text.indexOf(character, at + 1);
      if (at === -1) return undefined;
    }
    if (depth === 0) return at + 1;
  }
  return undefined;
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && /\s/.test(text.charAt(at))) at += 1;
  return at;
}

function withoutQuotes(item: string): string {
  const quote = item.charAt(0);
  return isQuote(quote) && item.length > 1 && item.endsWith(quote) ? item.slice(1, -1).trim() : item;
}

function isQuote(character: string): boolean {
  return character === '"' || character === "'";
}
