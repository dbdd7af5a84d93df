/** With TLS, the `__Host-` prefix stops other hosts from setting the cookie. */
function cookieName(isTls: boolean): string {
  return isTls ? "__Host-skillhold" : "skillhold";
}

/** The secret of the session; undefined without a cookie, and with two, since one of them was set by another server. */
export function readSessionCookie(headers: Headers, isTls: boolean): string | undefined {
  const start = `${cookieName(isTls)}=`;
  const [secret, ...others] = (headers.get("cookie") ?? "")
    .split(";")
    .map((part) => part.trim())
    .filter((part) => part.startsWith(start))
    .map((part) => part.slice(start.length));
  return others.length === 0 ? secret : undefined;
}

/** Contract: the secret is the secret of a token, which contains no cookie separators. */
export function sessionCookie(secret: string, seconds: number, isTls: boolean): string {
  const parts = [
    `${cookieName(isTls)}=${secret}`,
    "Path=/",
    `Max-Age=${seconds}`,
    "HttpOnly",
    "SameSite=Strict",
  ];
  return (isTls ? [...parts, "Secure"] : parts).join("; ");
}

/** A cookie that deletes the session. */
export function endedCookie(isTls: boolean): string {
  return sessionCookie("", 0, isTls);
}
