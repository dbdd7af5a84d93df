import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { routeTable } from "@skillhold/protocol/http";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { checkAccessible, checkWidth, excuse, type openConsole, openOwnConsole, settled } from "./browser.ts";

type Opened = Awaited<ReturnType<typeof openConsole>>;

/** Chromium's authenticator in software, which verifies its user at once. */
async function addAuthenticator(page: Page) {
  const client = await page.context().newCDPSession(page);
  await client.send("WebAuthn.enable");
  const { authenticatorId } = await client.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  const setVerified = (isUserVerified: boolean) =>
    client.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified });
  return { setVerified };
}

async function linkFor({ api, gateway }: Opened, user: string, role: string): Promise<string> {
  const made = routeTable.issueSignIn.answer.parse(await api("POST", "/v1/sign-in-codes", { user, role }));
  return `${localOf(gateway.url)}/sign-in#${made.code}`;
}

/** Browsers offer passkeys at a name, and not at an address. */
const localOf = (url: string) => url.replace("127.0.0.1", "localhost");

/** Lets the sign-ins of a user be a day old. */
function ageSessions({ gateway }: Opened, user: string): void {
  const db = new DatabaseSync(join(gateway.data, "registry.db"));
  const yesterday = new Date(Date.now() - 86_400_000).toISOString();
  const changed = db.prepare("update token set created_at = ? where account = ? and kind = 'session'");
  expect(changed.run(yesterday, user).changes).toBeGreaterThan(0);
  db.close();
}

test("adds a passkey that signs in and confirms an old sign-in, and removes it [S-59] [S-70]", async () => {
  const opened = await openOwnConsole();
  const visitor = await opened.visit({ who: { user: "vera", role: "viewer" } });
  const { page } = visitor;
  const origin = localOf(opened.gateway.url);
  const { setVerified } = await addAuthenticator(page);

  await page.goto(`${opened.gateway.url}/settings`);
  await page.getByText(`Passkeys work at ${origin}`).waitFor();

  await page.goto(await linkFor(opened, "vera", "viewer"));
  await page.waitForURL(`${origin}/home`);
  await page.goto(`${origin}/settings`);
  await page.getByRole("button", { name: "Add passkey" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Name" }).fill("Laptop of vera");
  await checkAccessible(page);
  await dialog.getByRole("button", { name: "Add" }).click();
  const row = page.getByRole("row", { name: /^Laptop of vera/ });
  await row.waitFor();
  await page.setViewportSize({ width: 360, height: 740 });
  await checkWidth(page);
  await page.setViewportSize({ width: 1280, height: 800 });

  await page.getByRole("button", { name: "Sign out" }).first().click();
  const button = page.getByRole("button", { name: "Sign in with a passkey" });
  await button.waitFor();
  await checkAccessible(page, "document");
  await setVerified(false);
  await button.click();
  await page.getByText("The browser returned no passkey.").waitFor();
  await setVerified(true);
  await button.click();
  await page.getByRole("heading", { name: "Home" }).waitFor();
  await page.goto(`${origin}/settings`);
  await page.getByText("vera, viewer").first().waitFor();
  await row.getByText("never").waitFor({ state: "detached" });

  ageSessions(opened, "vera");
  await page.goto(`${origin}/tokens?new`);
  await dialog.getByRole("textbox", { name: "Name" }).fill("CI of vera");
  await dialog.getByRole("button", { name: "Create" }).click();
  const confirm = page.getByRole("dialog", { name: "Confirm your identity" });
  await confirm.waitFor();
  await checkAccessible(page);
  await confirm.getByRole("button", { name: "Use a passkey" }).click();
  await page.getByText(/^export SKILLHOLD_TOKEN=/).waitFor();
  await page.getByRole("button", { name: "Done" }).click();

  await page.goto(`${origin}/settings`);
  await settled(page);
  await page.getByRole("button", { name: "Remove Laptop of vera" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.getByText("No passkeys").waitFor();
  excuse(visitor, /401|403/);
});
