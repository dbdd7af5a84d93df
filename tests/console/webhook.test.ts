import { isSigned } from "@skillhold/registry/webhook";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Received, WebhookReceiver } from "../gateway/webhook-receiver.fixture.ts";
import { checkAccessible, checkWidth, excuse, openConsole, openOwnConsole } from "./browser.ts";

let receiver: WebhookReceiver;
beforeEach(async () => {
  receiver = await WebhookReceiver.open();
});
afterEach(() => receiver.close());

function isSignedWith({ headers, body }: Received, secret: string): boolean {
  const timestamp = Number(headers["webhook-timestamp"]);
  const message = { id: headers["webhook-id"] ?? "", timestamp, body };
  return isSigned(message, headers["webhook-signature"] ?? "", secret);
}

test("an administrator adds, tests, pauses and deletes a webhook, and sees its log [S-49] [S-59]", async () => {
  const { page } = await openOwnConsole({
    args: ["--no-seed", "--webhook-host", "127.0.0.1"],
    at: "/webhooks",
  });
  await checkAccessible(page);
  await page.getByRole("button", { name: "New webhook" }).first().click();
  const form = page.getByRole("dialog", { name: "New webhook" });
  await form.getByRole("textbox", { name: "Name" }).fill("Team chat");
  await form.getByRole("textbox", { name: "Address" }).fill(receiver.url);
  await form.getByRole("checkbox", { name: /^Runs that wait/ }).uncheck();
  await checkAccessible(page);
  await form.getByRole("button", { name: "Add" }).click();
  const shown = page.getByRole("dialog", { name: "Signing secret" });
  const secret = (await shown.getByText(/^whsec_/).textContent()) ?? "";
  // The secret is shown once, so keys do not close it.
  await page.keyboard.press("Escape");
  await checkAccessible(page);
  await shown.getByRole("button", { name: "Done" }).click();
  const row = page.getByRole("row", { name: /Team chat/ });
  await row.getByText("promotions").waitFor();
  expect(await row.getByText("approvals").count()).toBe(0);
  expect(await page.content()).not.toContain(secret);

  receiver.statuses.push(410);
  await page.getByRole("button", { name: "Send a test to Team chat" }).click();
  const log = page.getByRole("region", { name: "List of notifications" });
  await log.getByText("failed 410").waitFor();
  await log.getByText("test", { exact: true }).click();
  await log.getByText(/A test of the webhook Team chat/).waitFor();
  await checkAccessible(page);
  await log.getByRole("button", { name: "Send test again" }).click();
  await log.getByText("delivered 204").waitFor();
  await row.getByText("delivered 204").waitFor();
  expect(receiver.received.map((each) => isSignedWith(each, secret))).toEqual([true, true]);
  expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  await page.getByRole("combobox", { name: "State of the notifications" }).selectOption("failed");
  await page.getByText("No notifications. Send a test.").waitFor();

  await page.getByRole("button", { name: "Pause Team chat" }).click();
  await row.getByText("paused").waitFor();
  expect(await page.getByRole("button", { name: "Send a test to Team chat" }).isDisabled()).toBe(true);
  await page.getByRole("button", { name: "Resume Team chat" }).click();
  await row.getByText("on", { exact: true }).waitFor();
  await page.setViewportSize({ width: 390, height: 800 });
  await checkWidth(page);
  await page.getByRole("button", { name: "Delete Team chat" }).click();
  await page
    .getByRole("dialog", { name: "Delete Team chat" })
    .getByRole("button", { name: "Delete" })
    .click();
  await page.getByText("No webhooks yet").waitFor();
});

test("an address that cannot be notified is refused, and a viewer has no view of webhooks [S-49] [S-59]", async () => {
  const opened = await openConsole({ at: "/webhooks?new" });
  const { page, gateway } = opened;
  const form = page.getByRole("dialog", { name: "New webhook" });
  await form.getByRole("textbox", { name: "Name" }).fill("Bad");
  await form.getByRole("textbox", { name: "Address" }).fill("ftp://example.org");
  await form.getByRole("button", { name: "Add" }).click();
  await form.getByText(/is an https URL/).waitFor();
  excuse(opened, /status of 400/);
  const viewer = await opened.visit({ who: { role: "viewer", user: "vic" } });
  await viewer.page.goto(`${gateway.url}/webhooks`);
  await viewer.page.getByText("Only for administrators").waitFor();
});
