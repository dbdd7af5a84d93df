/**
 * The approximate token cost of a text: a quarter token per character, and one token per character of scripts that
 * tokenizers do not merge (Chinese, Japanese, Korean, Thai and similar).
 */
export function estimateTokens(text: string): number {
  if (!DENSE.test(text)) return Math.ceil(text.length / 4);
  let dense = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit >= 0x0e00 && isDense(unit)) dense += 1;
  }
  return Math.ceil((text.length - dense) / 4 + dense);
}

/** Fast path for text that the engine stores with one byte per character. */
const DENSE = /[\u0E00-\u0EFF\u2E80-\u9FFF\uAC00-\uD7AF\uF900-\uFAFF]/;

function isDense(unit: number): boolean {
  return (
    unit <= 0x0eff || // Thai, Lao
    (unit >= 0x2e80 && unit <= 0x9fff) || // CJK, kana
    (unit >= 0xac00 && unit <= 0xd7af) || // Hangul
    (unit >= 0xf900 && unit <= 0xfaff) // CJK compatibility
  );
}
