const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;
/** Headers that the protocol or the HTTP client sets. */
const RESERVED: ReadonlySet<string> = new Set(
  "accept accept-encoding connection content-length content-type expect host keep-alive last-event-id mcp-protocol-version mcp-session-id te transfer-encoding upgrade".split(
    " ",
  ),
);
const SECRET_NAME = /auth|cookie|credential|key|pass|secret|session|signature|token/i;
/** An authentication scheme, or a long random-looking word. */
const SECRET_VALUE = /^(?:basic|bearer|digest|negotiate)\s|[A-Za-z0-9+/_=-]{24,}/i;

/** Why a header is invalid, or undefined. */
export function findHeaderProblem(name: string, value: string): string | undefined {
  if (!NAME.test(name)) return "has an invalid name";
  if (RESERVED.has(name.toLowerCase())) return "is reserved by the protocol";
  return /[^\t\x20-\x7e]/.test(value) || value.length > 8192 ? "has an invalid value" : undefined;
}

/** Whether a header looks like a secret. */
export function isSecretHeader(name: string, value: string): boolean {
  return SECRET_NAME.test(name) || SECRET_VALUE.test(value);
}
