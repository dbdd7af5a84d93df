/** The file is corrupt or not a database. */
export function isDamaged(error: unknown): boolean {
  const kind = kindOf(error);
  return kind === 11 || kind === 26;
}

/** Another process holds the lock. */
export function isBusy(error: unknown): boolean {
  return kindOf(error) === 5;
}

/** The file or its companion files cannot be written. */
export function isUnwritable(error: unknown): boolean {
  const kind = kindOf(error);
  return kind === 8 || kind === 14;
}

/** A row with the same key exists. */
export function isDuplicate(error: unknown): boolean {
  const code = codeOf(error);
  return code === 1555 || code === 2067;
}

/** The low byte of SQLite's code, which is the kind of failure; 0 for other errors. */
function kindOf(error: unknown): number {
  return codeOf(error) & 0xff;
}

function codeOf(error: unknown): number {
  return error instanceof Error && "errcode" in error ? Number(error.errcode) : 0;
}
