/** Where browsers keep a session. With TLS the prefix keeps other hosts from setting one of the name. */
function cookieName(isTls: boolean): string {
  return isTls ? "__Host-skillhold" : "skillhold";
}

/** The secret of the session; undefined without one, and where two are sent: one of them is someone else's. */
export function readSessionCookie(headers: Headers, isTls: boolean): string | undefined {
  const start = `${cookieName(isTls)}=`;
  const [secret, ...others] = (headers.get("cookie") ?? "")
    .split(";")
    .map((part) => part.trim())
    .filter((part) => part.startsWith(start))
    .map((part) => part.slice(start.length));
  return others.length === 0 ? secret : undefined;
}

/** Contract: the secret is one of a token, and has nothing in it that ends a cookie. */
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

/** Makes a browser forget the session. */
export function endedCookie(isTls: boolean): string {
  return sessionCookie("", 0, isTls);
}
