import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";
import type { Page } from "playwright-core";
import { afterEach, expect, test } from "vitest";
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
async function openWithProvider(args: readonly string[]): Promise<Opened & { readonly issuer: string }> {
  let answer: RequestListener = (_, response) => response.end();
  server = createServer((request, response) => answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A TCP server has an AddressInfo.
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const opened = await openOwnConsole({
    args: ["--no-seed", "--sso-issuer", issuer, "--sso-client-id", "gateway", ...args],
    env: { SKILLHOLD_SSO_CLIENT_SECRET: "a secret of the test" },
  });
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: "gateway",
        client_secret: "a secret of the test",
        redirect_uris: [`${opened.gateway.url}/sign-in`],
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

/** Signs in at the provider, and consents. */
async function passProvider(page: Page, email: string): Promise<void> {
  await page.locator("input[name=login]").fill(email);
  await page.locator("input[name=password]").fill("any");
  await page.locator("button[type=submit]").click();
  await page.getByRole("button", { name: "Continue" }).click();
}

async function visitor(opened: Opened, who = { user: "guide", role: "viewer" as const }) {
  const found = await opened.visit({ who });
  // The provider's own pages load a font and an icon from elsewhere.
  await found.context.route(/fonts\.googleapis\.com|favicon\.ico/, (route) => route.fulfill({ body: "" }));
  await found.page.getByRole("button", { name: "Sign out" }).first().click();
  await found.page.getByRole("button", { name: "Sign in with 127.0.0.1" }).waitFor();
  return found;
}

const enter = (page: Page) => page.getByRole("button", { name: "Sign in with 127.0.0.1" }).click();

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
        'fetch("/v1/sign-in/sso/start", { method: "POST" }).then((response) => response.json()).then(({ url }) => url)',
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
