/** A file that is corrupt, or is no database. */
export function isDamaged(error: unknown): boolean {
  const kind = kindOf(error);
  return kind === 11 || kind === 26;
}

/** Others hold the file. */
export function isBusy(error: unknown): boolean {
  return kindOf(error) === 5;
}

/** The file, or those that belong beside it, cannot be written. */
export function isUnwritable(error: unknown): boolean {
  const kind = kindOf(error);
  return kind === 8 || kind === 14;
}

/** A row of that key is there already. */
export function isDuplicate(error: unknown): boolean {
  const code = codeOf(error);
  return code === 1555 || code === 2067;
}

/** The low byte of SQLite's code is the kind of failure; 0 for what is no failure of SQLite. */
function kindOf(error: unknown): number {
  return codeOf(error) & 0xff;
}

function codeOf(error: unknown): number {
  return error instanceof Error && "errcode" in error ? Number(error.errcode) : 0;
}
