import { expect, test } from "vitest";
import { safeUrl } from "./safe-url.ts";

test("links only to web pages [S-59]", () => {
  expect(safeUrl("https://example.org/a")?.host).toBe("example.org");
  expect(safeUrl("http://example.org")?.host).toBe("example.org");
  const others = ["javascript:alert(1)", " JaVaScRiPt:alert(1)", "data:text/html,x", "file:///etc/passwd"];
  for (const other of [...others, "//example.org", "example.org", "", "https://bank.example@evil.example"])
    expect(safeUrl(other)).toBeUndefined();
});
