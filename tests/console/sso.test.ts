import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import Provider from "oidc-provider";
import type { Page } from "playwright-core";
import { afterAll, afterEach, expect, test } from "vitest";
import { checkAccessible, excuse, openOwnConsole } from "./browser.ts";

type Opened = Awaited<ReturnType<typeof openOwnConsole>>;

let server: Server | undefined;
afterEach(async () => await stop());

async function stop(): Promise<void> {
  server?.closeAllConnections();
  if (server?.listening === true) await new Promise((resolve) => server?.close(resolve));
  server = undefined;
}

/** A gateway with a provider that lets anyone in by the email that they type. */
async function openWithProvider(
  args: readonly string[],
  place: "options" | "file and variables" = "options",
): Promise<Opened & { readonly issuer: string }> {
  let answer: RequestListener = (_, response) => response.end();
  server = createServer((request, response) => answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A TCP server has an AddressInfo.
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const opened = await openOwnConsole(
    place === "options"
      ? {
          args: ["--no-seed", "--sso-issuer", issuer, "--sso-client-id", "gateway", ...args],
          env: { SKILLHOLD_SSO_CLIENT_SECRET: "a secret of the test" },
        }
      : { args: ["--no-seed", "--config", writeConfig(), ...args], env: { SKILLHOLD_SSO_ISSUER: issuer } },
  );
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: "gateway",
        client_secret: "a secret of the test",
        redirect_uris: [`${opened.gateway.url}/sign-in`],
        post_logout_redirect_uris: [`${opened.gateway.url}/`],
      },
    ],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    cookies: { keys: ["a key of the test"] },
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => ({
        sub: id,
        email: id.replace("unproven-", ""),
        email_verified: !id.startsWith("unproven-"),
      }),
    }),
  });
  answer = provider.callback();
  return { ...opened, issuer };
}

const folder = mkdtempSync(join(tmpdir(), "skillhold-sso-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A configuration file whose issuer is another one, which the variable of the gateway replaces. */
function writeConfig(): string {
  writeFileSync(join(folder, "secret"), "a secret of the test\n");
  const path = join(folder, "serve.yaml");
  const sso = {
    issuer: "https://login.invalid",
    clientId: "gateway",
    clientSecretFile: "secret",
    label: "Example",
    domains: ["example.org"],
    create: true,
    role: "viewer",
    signOut: true,
  };
  writeFileSync(path, JSON.stringify({ sso }));
  return path;
}

/** Signs in at the provider, and consents. */
async function passProvider(page: Page, email: string): Promise<void> {
  await page.locator("input[name=login]").fill(email);
  await page.locator("input[name=password]").fill("any");
  await page.locator("button[type=submit]").click();
  await page.getByRole("button", { name: "Continue" }).click();
}

async function visitor(opened: Opened, label = "127.0.0.1") {
  const who = { user: "guide", role: "viewer" } as const;
  const found = await opened.visit({ who });
  // The provider's own pages load a font and an icon from elsewhere.
  await found.context.route(/fonts\.googleapis\.com|favicon\.ico/, (route) => route.fulfill({ body: "" }));
  await found.page.getByRole("button", { name: "Sign out" }).first().click();
  await found.page.getByRole("button", { name: `Sign in with ${label}` }).waitFor();
  return found;
}

const enter = (page: Page, label = "127.0.0.1") =>
  page.getByRole("button", { name: `Sign in with ${label}` }).click();

/** The sessions of a user as if they had signed in a day ago. */
function ageSessions({ gateway }: Opened, user: string): void {
  const db = new DatabaseSync(join(gateway.data, "registry.db"));
  const yesterday = new Date(Date.now() - 86_400_000).toISOString();
  const changed = db.prepare("update token set created_at = ? where account = ? and kind = 'session'");
  expect(changed.run(yesterday, user).changes).toBeGreaterThan(0);
  db.close();
}

test("people of an allowed domain sign in, others and deactivated ones do not [S-70]", async () => {
  const opened = await openWithProvider(["--sso-domain", "example.org", "--sso-create"]);
  const first = await visitor(opened);
  const { page } = first;
  await checkAccessible(page, "document");
  await enter(page);
  await passProvider(page, "Vera@example.org");
  await page.waitForURL(`${opened.gateway.url}/home`);
  await page.getByText("vera@example.org · viewer").first().waitFor();
  const events = JSON.stringify(await opened.api("GET", "/v1/audit?limit=20"));
  expect(events).toContain("identity.linked");
  expect(events).toContain('"method":"sso"');

  await opened.api("PUT", "/v1/users/vera%40example.org", { isActive: false });
  await page.goto(`${opened.gateway.url}/home`);
  await enter(page);
  await page.getByText("This account is deactivated.").waitFor();
  excuse(first, /40[13]/);

  for (const [email, text] of [
    ["eve@other.test", /not of an allowed domain/],
    ["unproven-eve@example.org", /not of an allowed domain/],
  ] as const) {
    const other = await visitor(opened);
    await enter(other.page);
    await passProvider(other.page, email);
    await other.page.getByText(text).waitFor();
    expect(other.page.url()).toBe(`${opened.gateway.url}/sign-in`);
    excuse(other, /40[13]/);
  }
});

test("without --sso-create only invited people enter, by an email that the invitation names [S-70]", async () => {
  const opened = await openWithProvider([]);
  const stranger = await visitor(opened);
  await enter(stranger.page);
  await passProvider(stranger.page, "ann");
  await stranger.page.getByText(/verified email address|has no account here/).waitFor();
  excuse(stranger, /40[13]/);
  await opened.api("POST", "/v1/sign-in-codes", { user: "bob@example.org", role: "publisher" });
  const other = await visitor(opened);
  await enter(other.page);
  await passProvider(other.page, "unproven-bob@example.org");
  await other.page.getByText(/verified email address/).waitFor();
  excuse(other, /40[13]/);
  const invited = await visitor(opened);
  await enter(invited.page);
  await passProvider(invited.page, "bob@example.org");
  await invited.page.waitForURL(`${opened.gateway.url}/home`);
  await invited.page.getByText("bob@example.org · publisher").first().waitFor();
  excuse(invited, /401/);
});

test("a changed nonce or state, a replay and a provider that is down let no one in [S-70]", async () => {
  const opened = await openWithProvider(["--sso-domain", "example.org", "--sso-create"]);
  const found = await visitor(opened);
  const { page } = found;
  const start = async () =>
    String(
      await page.evaluate(
        'fetch("/v1/sign-in/sso/start", { method: "POST", headers: { "content-type": "application/json" }, body: "{}" }).then((response) => response.json()).then(({ url }) => url)',
      ),
    );
  const url = new URL(await start());
  expect(url.searchParams.get("code_challenge_method")).toBe("S256");
  url.searchParams.set("nonce", "another");
  await page.goto(url.href);
  await passProvider(page, "vera@example.org");
  await page.getByText("The provider's answer was not accepted.").waitFor();

  const forged = new URL(await start());
  forged.searchParams.set("state", "another");
  await page.goto(forged.href);
  await page.getByText("The provider's answer was not accepted.").waitFor();

  await page.goto(`${opened.gateway.url}/sign-in?code=x&state=y`);
  await page.getByText(/was used, has expired or belongs to another browser/).waitFor();

  await page.goto(`${opened.gateway.url}/home`);
  await stop();
  await enter(page);
  await page
    .getByRole("alert")
    .getByText(/cannot be reached/)
    .waitFor();
  const link = await opened.visit({ who: { user: "carl", role: "viewer" } });
  await link.page.getByText("carl · viewer").first().waitFor();
  excuse(found, /401|502/);
});

test("an old sign-in is confirmed at the provider, by the same person, and ends there on request [S-70]", async () => {
  const opened = await openWithProvider([], "file and variables");
  const found = await visitor(opened, "Example");
  const { page, context } = found;
  await enter(page, "Example");
  await passProvider(page, "vera@example.org");
  await page.waitForURL(`${opened.gateway.url}/home`);
  await page.getByText("vera@example.org · viewer").first().waitFor();

  ageSessions(opened, "vera@example.org");
  await page.goto(`${opened.gateway.url}/tokens?new`);
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Name" }).fill("CI of vera");
  await dialog.getByRole("button", { name: "Create" }).click();
  const confirm = page.getByRole("dialog", { name: "Confirm your identity" });
  await confirm.waitFor();
  await checkAccessible(page);
  const openProvider = async () => {
    const popup = context.waitForEvent("page");
    await confirm.getByRole("button", { name: "Continue with Example" }).click();
    return await popup;
  };
  // The provider remembers vera and must ask all the same; another person is refused.
  const other = await openProvider();
  await other.locator("input[name=login]").waitFor();
  expect(new URL(other.url()).origin).toBe(opened.issuer);
  await passProvider(other, "wim@example.org");
  await other.getByText("This identity is not of the user who is signed in.").waitFor();
  await other.close();
  await confirm.getByRole("button", { name: "Cancel" }).click();
  await dialog.getByRole("button", { name: "Create" }).click();
  const again = await openProvider();
  const ended = again.waitForEvent("close");
  await passProvider(again, "vera@example.org");
  await Promise.race([ended, again.getByText("You have confirmed your identity.").waitFor()]);
  // The form survived, and its act is repeated.
  await page.getByText(/^export SKILLHOLD_TOKEN=/).waitFor();
  await page.getByRole("button", { name: "Done" }).click();

  await page.getByRole("button", { name: "Sign out" }).first().click();
  await page.waitForURL(`${opened.issuer}/session/end**`);
  await page.getByRole("button", { name: /yes/i }).click();
  await page.waitForURL(`${opened.gateway.url}/`);
  await enter(page, "Example");
  await page.locator("input[name=login]").waitFor();
  excuse(found, /40[13]/);
});

test("an answer that a remembered sign-in gave confirms nothing [S-70]", async () => {
  const opened = await openWithProvider(["--sso-domain", "example.org", "--sso-create"]);
  const found = await visitor(opened);
  const { page } = found;
  await enter(page);
  await passProvider(page, "vera@example.org");
  await page.waitForURL(`${opened.gateway.url}/home`);
  const started = String(
    await page.evaluate(`fetch("/v1/sign-in/sso/start", {
      method: "POST",
      headers: { "content-type": "application/json", "x-skillhold-csrf": localStorage.getItem("skillhold.csrf") },
      body: JSON.stringify({ confirm: true }),
    }).then((response) => response.json()).then(({ url }) => url)`),
  );
  const url = new URL(started);
  expect([url.searchParams.get("prompt"), url.searchParams.get("max_age")]).toEqual(["login", "0"]);
  // The sign-in at the provider is older than the attempt, beyond what clocks may differ.
  const db = new DatabaseSync(join(opened.gateway.data, "registry.db"));
  const later = new Date(Date.now() + 3_600_000).toISOString();
  db.prepare("update sign_in_attempt set body = json_set(body, '$.confirm.at', ?)").run(later);
  db.close();
  // A person with the browser of another removes what makes the provider ask.
  url.searchParams.delete("prompt");
  url.searchParams.delete("max_age");
  await page.goto(url.href);
  await page.getByText("The provider did not ask you to sign in again.").waitFor();
  excuse(found, /401/);
});
