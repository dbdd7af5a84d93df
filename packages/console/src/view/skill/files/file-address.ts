/** Where a file of a skill is shown. */
export function fileHref(
  id: string,
  path: string,
  { revision, line }: { readonly revision?: number | undefined; readonly line?: number | undefined } = {},
): string {
  const place = path.split("/").map(encodeURIComponent).join("/");
  const search = revision === undefined ? "" : `?revision=${revision}`;
  return `/skills/${id}/files/${place}${search}${line === undefined ? "" : `#L${line}`}`;
}

const BEFORE_PATH = 4;

/** The file path in an address; empty when it has no path. */
export function pathOf(pathname: string): string {
  const parts = pathname.split("/").slice(BEFORE_PATH);
  try {
    return parts.map(decodeURIComponent).join("/");
  } catch {
    // A path that cannot be decoded names no file.
    return parts.join("/");
  }
}

export interface LineSpan {
  readonly first: number;
  readonly last: number;
}

/** The lines that `#L12` or `#L12-L20` names. */
export function linesOf(hash: string): LineSpan | undefined {
  const found = /^#L([1-9]\d{0,8})(?:-L?([1-9]\d{0,8}))?$/.exec(hash);
  if (found === null) return undefined;
  const ends = [Number(found[1]), Number(found[2] ?? found[1])];
  return { first: Math.min(...ends), last: Math.max(...ends) };
}

export function revisionOf(text: string): number | undefined {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}
