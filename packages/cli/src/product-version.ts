import { readFileSync } from "node:fs";

/** The package file lies one folder up from the sources and from the emitted code alike. */
export function readVersion(): string {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  const { version }: { readonly version: string } = JSON.parse(text);
  return version;
}
