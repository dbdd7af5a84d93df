import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildDocs } from "../build-docs.ts";
import { sharedBrowser } from "../console/shared-browser.ts";
import { openTestPort, type TestPort } from "./port.fixture.ts";

let docs: string;
let page: Page;
let port: TestPort;
beforeAll(async () => {
  docs = join(await mkdtemp(join(tmpdir(), "skillhold-docs-browser-")), "site");
  buildDocs(docs);
  page = await (await sharedBrowser()).newPage();
  port = await openTestPort({ docs });
});
afterAll(async () => {
  await page.context().close();
  await port.close();
  await rm(dirname(docs), { recursive: true, force: true });
});

test("a reader searches the documents and follows a hit, and no page breaks an accessibility rule [S-72]", async () => {
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(`${port.origin}/docs/start/`);
  await page.keyboard.press("/");
  await page.keyboard.type("restore backup");
  const hit = page.getByRole("link", { name: /^Operations: Backup and restore/ });
  await hit.waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(`${port.origin}/docs/guide/*.html#*`);
  for (const path of ["", "guide/concepts.html", "guide/operations.html", "reference/cli.html"]) {
    await page.goto(`${port.origin}/docs/${path}`);
    await page.evaluate(axe.source);
    const found = await page.evaluate(
      "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0]?.html]))",
    );
    expect([path, found]).toEqual([path, []]);
  }
  expect(complaints).toEqual([]);
});
