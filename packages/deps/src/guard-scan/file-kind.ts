/** What the first bytes of a file say about it. */
export type Magic =
  | "elf"
  | "pe"
  | "mach-o"
  | "java-class"
  | "dex"
  | "wasm"
  | "zip"
  | "gzip"
  | "7z"
  | "rar"
  | "bzip2"
  | "xz"
  | "zstd"
  | "png"
  | "jpeg"
  | "gif"
  | "webp"
  | "riff"
  | "pdf"
  | "ole"
  | "font"
  | "media"
  | "sqlite"
  | "pyc"
  | "text"
  | "data";

const SIGNATURES: readonly (readonly [Magic, string])[] = [
  ["elf", "\x7fELF"],
  ["mach-o", "\xfe\xed\xfa\xce"],
  ["mach-o", "\xfe\xed\xfa\xcf"],
  ["mach-o", "\xce\xfa\xed\xfe"],
  ["mach-o", "\xcf\xfa\xed\xfe"],
  ["dex", "dex\n03"],
  ["wasm", "\0asm"],
  ["zip", "PK\x03\x04"],
  ["zip", "PK\x05\x06"],
  ["gzip", "\x1f\x8b\x08"],
  ["7z", "7z\xbc\xaf\x27\x1c"],
  ["rar", "Rar!\x1a\x07"],
  ["bzip2", "BZh"],
  ["xz", "\xfd7zXZ\0"],
  ["zstd", "\x28\xb5\x2f\xfd"],
  ["png", "\x89PNG"],
  ["jpeg", "\xff\xd8\xff"],
  ["gif", "GIF8"],
  ["pdf", "%PDF-"],
  ["ole", "\xd0\xcf\x11\xe0"],
  ["font", "\0\x01\0\0"],
  ["font", "OTTO"],
  ["font", "wOFF"],
  ["font", "wOF2"],
  ["media", "ID3"],
  ["media", "OggS"],
  ["media", "fLaC"],
  ["media", "\x1aE\xdf\xa3"],
  ["sqlite", "SQLite format 3\0"],
];

/** Programs of an operating system or a virtual machine. */
export const PROGRAMS: ReadonlySet<Magic> = new Set(["elf", "pe", "mach-o", "java-class", "dex"]);

/** Data that carries no instructions; its type was checked by its first bytes. */
export const PASSIVE: ReadonlySet<Magic> = new Set([
  "png",
  "jpeg",
  "gif",
  "webp",
  "riff",
  "font",
  "media",
  "pdf",
  "sqlite",
  "wasm",
]);

export function magicOf(bytes: Uint8Array, path: string): Magic {
  const head = String.fromCharCode(...bytes.subarray(0, 32));
  const known = SIGNATURES.find(([, signature]) => head.startsWith(signature))?.[0];
  if (known !== undefined) return known;
  if (head.startsWith("RIFF")) return head.slice(8, 12) === "WEBP" ? "webp" : "riff";
  if (head.slice(4, 8) === "ftyp") return "media";
  if (head.startsWith("\xca\xfe\xba\xbe")) return (bytes[7] ?? 0) > 40 ? "java-class" : "mach-o";
  if (head.startsWith("MZ") && isPe(bytes)) return "pe";
  if (head.slice(2, 4) === "\r\n" && /\.py[co]$/i.test(path)) return "pyc";
  return isText(bytes) ? "text" : "data";
}

/** `MZ` begins words too; a program has a header where bytes 60 to 63 point. */
function isPe(bytes: Uint8Array): boolean {
  if (bytes.length < 64) return false;
  const at = new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getUint32(60, true);
  return at + 4 <= bytes.length ? bytes[at] === 0x50 && bytes[at + 1] === 0x45 : !isText(bytes);
}

const SAMPLE = 8192;

/** Hardly any NUL and control characters in the beginning; UTF-16 with its mark is text. */
export function isText(bytes: Uint8Array): boolean {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) return true;
  const sample = bytes.subarray(0, SAMPLE);
  let odd = 0;
  let nul = 0;
  for (const byte of sample) {
    if (byte === 0) nul += 1;
    if (byte < 9 || (byte > 13 && byte < 32 && byte !== 27)) odd += 1;
  }
  return odd <= sample.length / 20 && nul <= sample.length / 1000;
}

export function decodeText(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  return new TextDecoder().decode(bytes);
}

/** The types that an extension allows; an extension that is not here allows all. */
const EXPECTED: ReadonlyMap<string, readonly Magic[]> = new Map<string, readonly Magic[]>([
  ["png", ["png"]],
  ["jpg", ["jpeg"]],
  ["jpeg", ["jpeg"]],
  ["gif", ["gif"]],
  ["webp", ["webp"]],
  ["pdf", ["pdf"]],
  ["zip", ["zip"]],
  ["docx", ["zip"]],
  ["xlsx", ["zip"]],
  ["pptx", ["zip"]],
  ["ttf", ["font"]],
  ["otf", ["font"]],
  ["woff", ["font"]],
  ["woff2", ["font"]],
  ["md", ["text"]],
  ["txt", ["text"]],
  ["json", ["text"]],
  ["yaml", ["text"]],
  ["yml", ["text"]],
  ["py", ["text"]],
  ["js", ["text"]],
  ["ts", ["text"]],
  ["sh", ["text"]],
  ["csv", ["text"]],
  ["html", ["text"]],
  ["css", ["text"]],
  ["svg", ["text"]],
]);

const PROGRAM_NAMES =
  /(?:^|\/)[^./]+$|\.(?:exe|dll|so(?:\.\d+)*|dylib|bin|node|class|jar|dex|o|a|com|sys|pyd|elf|out|efi)$/i;

export type TypeProblem = "disguised" | "mismatch" | undefined;

export function typeProblem(path: string, magic: Magic, text: string | undefined): TypeProblem {
  const extension = /\.([A-Za-z0-9]{1,8})$/.exec(path)?.[1]?.toLowerCase() ?? "";
  if (PROGRAMS.has(magic)) return PROGRAM_NAMES.test(path) ? undefined : "disguised";
  const expected = EXPECTED.get(extension);
  if (expected === undefined || expected.includes(magic)) return undefined;
  if (magic === "text" && text !== undefined) {
    if (/^version https:\/\/git-lfs/.test(text) || text.trim() === "") return undefined;
    return /^#!|<\?php|^\s{0,20}(?:import|from) \w{2,40}|\beval\(|\bpowershell\b/.test(text.slice(0, 2000))
      ? "disguised"
      : "mismatch";
  }
  return isImage(magic) && expected.some(isImage) ? undefined : "mismatch";
}

function isImage(magic: Magic): boolean {
  return magic === "png" || magic === "jpeg" || magic === "gif" || magic === "webp";
}
