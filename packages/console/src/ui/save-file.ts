/** Hands bytes to the browser to save. Links cannot: they do not say the word that goes with the cookie. */
export function saveFile(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // Some browsers fail to download when the URL is revoked immediately.
  window.setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
