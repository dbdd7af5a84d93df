import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { writeSkill } from "../gateway/serve.fixture.ts";
import { checkAccessible, excuse, openConsole, settled, skillText, zipOf } from "./browser.ts";
import type { Visitor } from "./console-scene.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "skillhold-drop-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Drags files and folders from the desktop onto the page, and lets go of them. */
async function drop({ page, context }: Visitor, paths: readonly string[]): Promise<void> {
  const browser = await context.newCDPSession(page);
  const data = { items: [], files: [...paths], dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"] as const)
    await browser.send("Input.dispatchDragEvent", { type, x: 600, y: 300, data });
}

test("checks, shows and publishes a dropped ZIP and a dropped folder [S-41] [S-59]", async () => {
  const visitor = await openConsole({ skills: { one: {} }, at: "/publish" });
  const { page, api } = visitor;
  const zip = join(folder, "skills.zip");
  await writeFile(
    zip,
    await zipOf({
      one: { "SKILL.md": skillText("one", "About one.", "Do it well."), "scripts/run.sh": "echo\n" },
      two: {},
      bad: { "SKILL.md": "no skill" },
    }),
  );
  const mine = writeSkill(folder, "from-desk", { "references/more.md": "More.\n" });
  await settled(page);
  await drop(visitor, [zip, mine]);
  const archive = page.getByRole("region", { name: "skills.zip" });
  const desk = page.getByRole("region", { name: "from-desk" });
  await archive.getByRole("button", { name: "Publish 2 skills" }).waitFor();
  await desk.getByRole("button", { name: "Publish 1 skill" }).waitFor();
  expect(await archive.getByRole("listitem", { name: "one", exact: true }).textContent()).toContain(
    "scripts/run.sh",
  );
  expect(await archive.getByRole("listitem", { name: "bad" }).textContent()).toContain("refused");
  await archive.locator("summary", { hasText: "SKILL.md" }).click();
  const change = archive.getByRole("region", { name: "Change of SKILL.md" });
  await change.getByText("Do it well.").first().waitFor();
  expect(await api("GET", "/v1/skills/one")).toMatchObject({ entry: { revision: 1 } });
  await checkAccessible(page);
  await page.getByRole("button", { name: "Publish all 3 skills" }).click();
  await archive.getByRole("link", { name: "Open two" }).waitFor();
  await desk.getByRole("link", { name: "Open from-desk" }).waitFor();
  expect(await api("GET", "/v1/skills/one")).toMatchObject({ entry: { revision: 2 } });
  await archive.getByRole("link", { name: "Open two" }).click();
  await page.getByRole("heading", { name: /two/, level: 1 }).waitFor();
});

test("publishes files chosen with the keyboard, and a second time leaves them unchanged [S-59]", async () => {
  const { page } = await openConsole({ at: "/publish" });
  const zip = join(folder, "chosen.zip");
  await writeFile(zip, await zipOf({ chosen: {} }));
  const zone = page.getByRole("button", { name: /^Drop ZIP/ });
  const choose = async () => {
    const [chooser] = await Promise.all([page.waitForEvent("filechooser"), zone.press("Enter")]);
    await chooser.setFiles([zip]);
  };
  await choose();
  await page.getByRole("button", { name: "Publish 1 skill" }).click();
  await page.getByRole("link", { name: "Open chosen" }).waitFor();
  await page.getByRole("button", { name: "Clear all" }).click();
  await choose();
  await page.getByText("unchanged").first().waitFor();
  expect(await page.getByRole("button", { name: /^Publish \d/ }).count()).toBe(0);
});

test("loses nothing while the gateway is unreachable, and does not send files that are too large [S-59]", async () => {
  const opened = await openConsole({ at: "/publish" });
  const { page } = opened;
  const zip = join(folder, "late.zip");
  const large = join(folder, "large.zip");
  await writeFile(zip, await zipOf({ late: {} }));
  await writeFile(large, new Uint8Array(21 * 1024 * 1024));
  await settled(page);
  let sent = 0;
  await page.route(/\/v1\/skills\/upload/, async (route) => {
    sent += 1;
    await route.abort();
  });
  await page.getByLabel("Files to publish").setInputFiles([zip, large]);
  const card = page.getByRole("region", { name: "late.zip" });
  await card.getByRole("alert").waitFor();
  expect(await card.getByRole("listitem", { name: "late" }).textContent()).toContain("checked here");
  expect(await page.getByRole("region", { name: "large.zip" }).textContent()).toContain("not sent");
  expect(sent).toBe(1);
  await page.unroute(/\/v1\/skills\/upload/);
  await page.getByRole("link", { name: "Skills", exact: true }).click();
  await page.getByRole("link", { name: "Publish", exact: true }).first().click();
  await card.getByRole("button", { name: "Try again" }).click();
  await card.getByRole("button", { name: "Publish 1 skill" }).click();
  await card.getByRole("link", { name: "Open late" }).waitFor();
  excuse(opened, /upload/);
});

test("a file whose only skill is rejected is not ready [S-59]", async () => {
  const visitor = await openConsole({ at: "/publish" });
  const { page } = visitor;
  const zip = join(folder, "refused.zip");
  await writeFile(zip, await zipOf({ bad: { "SKILL.md": "no skill" } }));
  await settled(page);
  await drop(visitor, [zip]);
  const archive = page.getByRole("region", { name: "refused.zip" });
  await archive.getByText("nothing to publish", { exact: true }).waitFor();
  expect(await archive.getByText("ready to publish").count()).toBe(0);
});
