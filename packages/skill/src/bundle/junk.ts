/** Names that macOS adds to archives. */
const LEFTOVERS = [".DS_Store", "__MACOSX"];

const JUNK_NAMES: ReadonlySet<string> = new Set([
  // Operating systems
  ...LEFTOVERS,
  "Thumbs.db",
  "ehthumbs.db",
  "desktop.ini",
  ".AppleDouble",
  ".Spotlight-V100",
  ".Trashes",
  // Version control, package managers and other registries
  ".git",
  ".hg",
  ".svn",
  "node_modules",
  "__pycache__",
  ".clawhub",
  ".clawdhub",
]);

/** True for a file or folder name that is never part of a skill. The only such list. */
export function isJunk(name: string): boolean {
  return JUNK_NAMES.has(name) || name.startsWith("._");
}

/** True for junk that macOS adds to archives, which is not even unpacked. The packer decides about other junk. */
export function isLeftover(name: string): boolean {
  return LEFTOVERS.includes(name) || name.startsWith("._");
}
