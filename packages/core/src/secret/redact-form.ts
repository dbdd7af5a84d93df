/** Below this, a value is found in too much that is not it. */
export const MIN_LENGTH = 4;
/** Base64 from inside a longer text has no end of its own; a few letters would be found everywhere. */
const MIN_INNER_LENGTH = 8;

/** Every way of writing a value that is looked for, each once. */
export function redactForms(value: string): readonly string[] {
  const text = value.toWellFormed();
  const bytes = Buffer.from(text);
  const hex = bytes.toString("hex");
  const forms = new Set([
    text,
    hex,
    hex.toUpperCase(),
    ...base64Forms(bytes),
    ...urlForms(text),
    ...jsonForms(text),
  ]);
  return [...forms];
}

/** Standard and for URLs; padded and not; broken into lines as tools do it; and inside a longer text. */
function base64Forms(bytes: Buffer): readonly string[] {
  const padded = bytes.toString("base64");
  const unpadded = padded.replace(/=+$/, "");
  const lines = [64, 76].flatMap((width) => [wrap(padded, width, "\n"), wrap(padded, width, "\r\n")]);
  const inner = [0, 1, 2].map((shift) => innerBase64(bytes, shift));
  const forms = [padded, unpadded, ...lines, ...inner.filter((form) => form.length >= MIN_INNER_LENGTH)];
  return forms.flatMap((form) => [form, form.replaceAll("+", "-").replaceAll("/", "_")]);
}

function wrap(text: string, width: number, end: string): string {
  return text.replace(new RegExp(`.{${width}}(?!$)`, "g"), (line) => line + end);
}

/**
 * The base64 letters that depend only on these bytes when other bytes surround them. The number of bytes before them,
 * modulo three, selects the letters. Letters that share bits with an adjacent byte are omitted.
 */
function innerBase64(bytes: Buffer, shift: number): string {
  const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString("base64");
  return text.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6));
}

/** As browsers, forms, and strict or path-minded libraries escape it, with hexadecimal digits of either case. */
function urlForms(text: string): readonly string[] {
  const component = encodeURIComponent(text);
  const strict = component.replace(/[!'()*]/g, escapeUnit);
  const form = strict.replaceAll("%20", "+").replaceAll("~", "%7E").replaceAll("%2A", "*");
  const forms = [component, strict, strict.replaceAll("%2F", "/"), form];
  return forms.flatMap((escaped) => [
    escaped,
    escaped.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
  ]);
}

function escapeUnit(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** The JSON string forms: plain, with escaped slashes, and with ASCII only. */
function jsonForms(text: string): readonly string[] {
  const plain = JSON.stringify(text).slice(1, -1);
  const ascii = plain.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return [plain, ascii].flatMap((form) => [form, form.replaceAll("/", "\\/")]);
}
