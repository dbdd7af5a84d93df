/**
 * With TLS, the `__Host-` prefix stops other hosts from setting the cookie. Browsers send cookies to all ports of a host, so
 * without TLS the name has the port: gateways on one machine do not end each other's sessions.
 */
function cookieName(headers: Headers, isTls: boolean, use: CookieUse): string {
  const name = use === "session" ? "skillhold" : "skillhold-sign-in";
  if (isTls) return `__Host-${name}`;
  const [, port] = /:(\d{1,5})$/.exec(headers.get("host") ?? "") ?? [];
  return port === undefined ? name : `${name}-${port}`;
}

/** A session, or a sign-in that is not complete. */
type CookieUse = "session" | "sign-in";

/** The secret in the cookie; undefined without one, and with two, since one of them was set by another server. */
export function readSessionCookie(
  headers: Headers,
  isTls: boolean,
  use: CookieUse = "session",
): string | undefined {
  const start = `${cookieName(headers, isTls, use)}=`;
  const [secret, ...others] = (headers.get("cookie") ?? "")
    .split(";")
    .map((part) => part.trim())
    .filter((part) => part.startsWith(start))
    .map((part) => part.slice(start.length));
  return others.length === 0 ? secret : undefined;
}

/** Contract: the secret is the secret of a token, which contains no cookie separators. */
export function sessionCookie(
  secret: string,
  seconds: number,
  headers: Headers,
  isTls: boolean,
  use: CookieUse = "session",
): string {
  const parts = [
    `${cookieName(headers, isTls, use)}=${secret}`,
    "Path=/",
    `Max-Age=${seconds}`,
    "HttpOnly",
    "SameSite=Strict",
  ];
  return (isTls ? [...parts, "Secure"] : parts).join("; ");
}

/** A cookie that deletes the session. */
export function endedCookie(headers: Headers, isTls: boolean): string {
  return sessionCookie("", 0, headers, isTls);
}
