const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;
/** Set by the protocol or by what sends the request; another value would break one of them. */
const OWN: ReadonlySet<string> = new Set(
  "accept accept-encoding connection content-length content-type expect host keep-alive last-event-id mcp-protocol-version mcp-session-id te transfer-encoding upgrade".split(
    " ",
  ),
);
const SECRET_NAME = /auth|cookie|credential|key|pass|secret|session|signature|token/i;
/** A scheme of authentication, or a word that nobody would choose for its sound. */
const SECRET_VALUE = /^(?:basic|bearer|digest|negotiate)\s|[A-Za-z0-9+/_=-]{24,}/i;

/** Why a header cannot be sent, or undefined. */
export function findHeaderProblem(name: string, value: string): string | undefined {
  if (!NAME.test(name)) return "has a name that no header has";
  if (OWN.has(name.toLowerCase())) return "is set by the protocol itself";
  return /[^\t\x20-\x7e]/.test(value) || value.length > 8192 ? "has a value that cannot be sent" : undefined;
}

/** Whether a header looks like one whose value is nobody else's business. */
export function isSecretHeader(name: string, value: string): boolean {
  return SECRET_NAME.test(name) || SECRET_VALUE.test(value);
}
