const JUNK_NAMES: ReadonlySet<string> = new Set([
  // Operating systems
  ".DS_Store",
  "Thumbs.db",
  "ehthumbs.db",
  "desktop.ini",
  "__MACOSX",
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
