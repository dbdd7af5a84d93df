/** The URL of a web page; undefined for any other scheme, such as `javascript:`. */
export function safeUrl(text: string): URL | undefined {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return undefined;
  // A name before the host is there to look like one.
  return url.username === "" && url.password === "" ? url : undefined;
}
