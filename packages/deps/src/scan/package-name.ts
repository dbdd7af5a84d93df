/** The name of a Python distribution (PEP 508). */
const PIP_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;
/** Upper case occurs in packages that are older than the rule against it. */
const NPM_NAME = /^(?:@[A-Za-z0-9~-][A-Za-z0-9._~-]*\/)?[A-Za-z0-9~-][A-Za-z0-9._~-]*$/;
const COMMAND_NAME = /^[A-Za-z0-9_][A-Za-z0-9._+-]*$/;
const MAX_PIP = 128;
/** The registry's own limit. */
const MAX_NPM = 214;
const MAX_COMMAND = 64;

/** Names appear on command lines and in messages, so only plain names are accepted. */
export function isPipName(text: string): boolean {
  return text.length <= MAX_PIP && PIP_NAME.test(text);
}

export function isNpmName(text: string): boolean {
  return text.length <= MAX_NPM && NPM_NAME.test(text) && !text.startsWith("-");
}

export function isCommandName(text: string): boolean {
  return text.length <= MAX_COMMAND && COMMAND_NAME.test(text) && /[A-Za-z]/.test(text);
}

/** Normalizes a distribution name for comparison (PEP 503). */
export function normalizePip(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, "-");
}

/** The package of `name`, `name/sub/path` or `@scope/name/sub/path`; undefined for other specifiers. */
export function npmPackageOf(specifier: string): string | undefined {
  const parts = specifier.split("/", 2);
  const name = specifier.startsWith("@") ? parts.join("/") : parts[0];
  return name !== undefined && isNpmName(name) && !name.startsWith(".") ? name : undefined;
}
