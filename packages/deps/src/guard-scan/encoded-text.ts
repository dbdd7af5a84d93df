/** An encoded piece of a text that decodes to commands. */
export interface EncodedCommand {
  readonly index: number;
  readonly decoded: string;
}

const BASE64 = /[A-Za-z0-9+/]{24,}={0,2}/g;
const HEX = /(?:[0-9a-fA-F]{2}){20,}/g;
const ESCAPED = /(?:\\x[0-9a-fA-F]{2}){8,}/g;
const MAX_PIECES = 60;
const MAX_LENGTH = 20_000;
const COMMAND =
  /\b(?:curl|wget)\s[^\n]{0,200}https?:|\/bin\/(?:ba|z)?sh\b|\bbash -[ci]|\bpowershell\b|\bInvoke-Expression\b|\bos\.system\(|\bsubprocess\.|\bchild_process\b|\bnc -e|\/dev\/tcp\/|\bexec\(|\beval\(|\bbase64 -[dD]\b|\b__import__\(/;

/** Finds base64, hex and escaped texts that hide commands. Data such as images and keys is not text, and is skipped. */
export function findEncodedCommands(text: string): readonly EncodedCommand[] {
  const found: EncodedCommand[] = [];
  for (const [pattern, decode] of DECODERS) {
    let pieces = 0;
    for (const match of text.matchAll(pattern)) {
      pieces += 1;
      if (pieces > MAX_PIECES) break;
      const decoded = decode(match[0].slice(0, MAX_LENGTH));
      if (decoded !== undefined && COMMAND.test(decoded)) found.push({ index: match.index, decoded });
    }
  }
  return found;
}

const DECODERS: readonly (readonly [RegExp, (piece: string) => string | undefined])[] = [
  [BASE64, (piece) => readable(Buffer.from(piece, "base64"))],
  [HEX, (piece) => readable(Buffer.from(piece, "hex"))],
  [ESCAPED, (piece) => readable(Buffer.from(piece.replaceAll("\\x", ""), "hex"))],
];

/** Undefined unless nearly all bytes are those of a text; UTF-16 is what PowerShell encodes. */
function readable(bytes: Buffer): string | undefined {
  const isWide = bytes.length > 8 && bytes[1] === 0 && bytes[3] === 0;
  const text = bytes.toString(isWide ? "utf16le" : "latin1");
  let odd = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if ((code < 0x20 && code !== 9 && code !== 10 && code !== 13) || code > 0x7e) odd += 1;
  }
  return odd > text.length / 20 ? undefined : text;
}
