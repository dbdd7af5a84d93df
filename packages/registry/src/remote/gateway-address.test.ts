import { expect, test } from "vitest";
import { gatewayAddress, showAddress } from "./gateway-address.ts";

test.each([
  ["https://skills.example.org", "https://skills.example.org"],
  ["https://skills.example.org:8443/", "https://skills.example.org:8443"],
  ["https://example.org/skillhold", "https://example.org/skillhold"],
  ["http://localhost:7878", "http://localhost:7878"],
  ["http://127.0.0.1:7878/", "http://127.0.0.1:7878"],
  ["http://127.1:7878/", "http://127.0.0.1:7878"],
  ["http://[::1]:7878", "http://[::1]:7878"],
])("accepts %s [S-53]", (text, shown) => {
  const url = gatewayAddress(text);
  expect(showAddress(url)).toBe(shown);
  expect(new URL("./v1/skills", url).href).toBe(`${shown}/v1/skills`);
});

test.each([
  "",
  "skills.example.org",
  "ftp://skills.example.org",
  "file:///etc/passwd",
  "javascript:alert(1)",
  "https://bob:secret@skills.example.org",
  "https://skills.example.org/?token=x",
  "https://skills.example.org/#x",
])("rejects %j without repeating it [S-53]", (text) => {
  expect(() => gatewayAddress(text)).toThrow("The gateway address is invalid.");
});

test.each([
  "http://skills.example.org",
  "http://10.0.0.1:7878",
  "http://127.0.0.1.example.org",
  "http://localhost.example.org",
])("requires TLS for %s unless insecure connections are allowed [S-53]", (text) => {
  expect(() => gatewayAddress(text)).toThrow("without encryption");
  expect(gatewayAddress(text, { isInsecure: true }).protocol).toBe("http:");
});
