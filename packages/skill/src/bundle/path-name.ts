// Control and format characters, line and paragraph separators, lone surrogates, and the replacement character.
const UNSAFE_CHARACTER = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\uFFFD]/u;
const FORBIDDEN_ON_WINDOWS = /[<>:"|?*\\]/;
const RESERVED_ON_WINDOWS = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;

/**
 * Why a relative path is not portable; undefined when it is. A path that passes has only plain segments, so joining it
 * to a folder with `/` cannot leave that folder on any platform.
 */
export function findPathProblem(path: string): string | undefined {
  if (path === "") return "is empty";
  if (path.startsWith("/")) return "is absolute";
  if (path.startsWith("~")) return "starts with a tilde, which a shell expands to a home folder";
  for (const segment of path.split("/")) {
    const problem = findNameProblem(segment);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** A key that is equal for two names that some file system treats as the same. */
export function foldName(name: string): string {
  // Uppercase first, because it maps ß and ſ to the letters that case-insensitive disks compare.
  return name.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC");
}

/** Orders paths by their UTF-8 bytes, without encoding them. */
export function comparePaths(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left !== right) return utf8Rank(left) - utf8Rank(right);
  }
  return a.length - b.length;
}

function findNameProblem(name: string): string | undefined {
  if (name === "") return "has an empty segment";
  if (name === "." || name === "..") return `has a segment \`${name}\``;
  if (UNSAFE_CHARACTER.test(name)) return "has an invisible or control character, or is not UTF-8";
  if (FORBIDDEN_ON_WINDOWS.test(name)) return 'has one of the characters < > : " | ? * \\';
  if (RESERVED_ON_WINDOWS.test(name)) return "has a segment that is a device name on Windows";
  if (name.endsWith(".") || name.endsWith(" ")) return "has a segment that ends with a dot or a space";
  const plain = name.normalize("NFKC");
  if (plain === "." || plain === ".." || plain.includes("/") || plain.includes("\\")) {
    return "has characters that become dots or slashes under Unicode normalization";
  }
  return undefined;
}

/** UTF-16 orders surrogates below U+E000, UTF-8 above: swaps the two ranges. */
function utf8Rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000;
}
