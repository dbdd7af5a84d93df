import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { openConsole, settled } from "./browser.ts";

const BUDGET = 150_000;
const dist = new URL("../../packages/console/dist/", import.meta.url);
const read = (path: string) => readFileSync(fileURLToPath(new URL(`.${path}`, dist)), "utf8");

/** What a browser fetches before it can show anything: what the page names, and what that imports at once. */
function firstFiles(): ReadonlySet<string> {
  const found = new Set(["/index.html"]);
  for (const path of found) {
    const text = read(path);
    const isPage = path.endsWith(".html");
    const pattern = isPage ? /(?:src|href)="(\/[^"]+)"/g : /(?:\bfrom|\bimport)\s*"(\.\/[^"]+\.js)"/g;
    for (const [, name = ""] of text.matchAll(pattern))
      found.add(isPage ? name : new URL(name, `http://console${path}`).pathname);
  }
  return found;
}

test("what the first view takes is within its budget, as it was built [S-59]", () => {
  const files = [...firstFiles()];
  expect(files.some((path) => path.endsWith(".css"))).toBe(true);
  const sizes = files.map((path) => gzipSync(read(path), { level: 9 }).length);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(BUDGET);
});

test("what a browser fetches for the first view is within its budget, and the next visit fetches no file [S-59]", async () => {
  const { page, gateway, context } = await openConsole({ skills: { one: {} } });
  const visit = async (fresh: typeof page) => {
    const network = await context.newCDPSession(fresh);
    await network.send("Network.enable");
    const paths = new Map<string, string>();
    const sizes = new Map<string, number>();
    network.on("Network.requestWillBeSent", ({ requestId, request }) =>
      paths.set(requestId, new URL(request.url).pathname),
    );
    network.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
      const path = paths.get(requestId) ?? "";
      if (encodedDataLength > 0 && !path.startsWith("/v1/")) sizes.set(path, encodedDataLength);
    });
    await fresh.goto(`${gateway.url}/skills`);
    await fresh.getByRole("link", { name: "one" }).waitFor();
    await settled(fresh);
    return sizes;
  };
  await (await context.newCDPSession(page)).send("Network.clearBrowserCache");
  const first = await visit(page);
  expect([...first.keys()]).toContain("/skills");
  expect([...first.keys()].filter((path) => path.startsWith("/assets/")).length).toBeGreaterThan(1);
  expect([...first.values()].reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(BUDGET);
  const second = await visit(await context.newPage());
  expect([...second.keys()].filter((path) => path.startsWith("/assets/"))).toEqual([]);
});
