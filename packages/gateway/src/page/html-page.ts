import { hash } from "node:crypto";
import { consolePage } from "./console-page.ts";
import type { GatewayPage } from "./page.ts";

interface HtmlPage {
  readonly title: string;
  /** The inside of `main`. */
  readonly body: string;
  readonly script: string;
}

/** The colors of the console, which a standalone page cannot load. */
const style = `:root { color-scheme: light dark; font: 0.875rem/1.5 ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
body { margin: 0; background: light-dark(#fbfbfc, #0c0c0f); color: light-dark(#5c5c69, #a6a6b4); display: grid; min-height: 90vh; place-content: center; }
main { box-sizing: border-box; width: min(28rem, 100vw); padding: 1.5rem; }
svg { width: 2.5rem; height: 2.5rem; }
h1 { margin: 1rem 0; font-size: 1.25rem; color: light-dark(#16161a, #ededf2); }
code, pre { font: 0.8125rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; color: light-dark(#16161a, #ededf2); }
a { color: light-dark(#4f4fc4, #9a9af2); }
pre { padding: 0.75rem; white-space: pre-wrap; overflow-wrap: anywhere; background: light-dark(#ffffff, #131318); border: 1px solid light-dark(#e4e4e9, #26262f); border-radius: 0.5rem; }
button { padding: 0.4rem 0.8rem; font: inherit; color: light-dark(#ffffff, #0c0c0f); background: light-dark(#4f4fc4, #9a9af2); border: 0; border-radius: 0.375rem; cursor: pointer; }
`;

const icon =
  '<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#5b5bd6"/><path d="M9 10.5h14M9 16h9M9 21.5h14" stroke="#fff" stroke-width="2.6" stroke-linecap="round"/><circle cx="22" cy="16" r="2" fill="#fff"/></svg>';

/** A standalone page that loads no other files and runs only its own script. Contract: it contains no request data. */
function htmlResponse({ title, body, script }: HtmlPage, requestId: string): Response {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
${icon}
${body}
</main>
<script>${script}</script>
</body>
</html>
`;
  return new Response(html, { headers: { ...headersFor(script), "x-request-id": requestId } });
}

function headersFor(script: string): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    `script-src '${hashSource(script)}'`,
    `style-src '${hashSource(style)}'`,
    "img-src data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policy.join("; "),
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  };
}

function hashSource(text: string): string {
  return `sha256-${hash("sha256", text, "base64")}`;
}

const landingScript = `
const csrf = localStorage.getItem("skillhold.csrf");
const showUser = async () => {
  const response = await fetch("/v1/me", { headers: { "x-skillhold-csrf": csrf } });
  if (!response.ok) return;
  const { user, role } = await response.json();
  document.getElementById("who").textContent = "You are signed in as " + user + ", with the role " + role + ".";
};
if (csrf !== null) showUser().catch(() => {});
`;

const landingBody = (address: string) => `<h1>A Skillhold gateway runs here</h1>
<p id="who" role="status">You are not signed in. <code>skillhold token sign-in</code> prints a sign-in link.</p>
<p><a href="/reference">The reference</a> lists every route. It requires a sign-in.</p>
<p>Programs send a token:</p>
<pre>skillhold token create --name &lt;name&gt; --role viewer
curl -H "Authorization: Bearer &lt;token&gt;" ${address}/v1/skills</pre>`;

/** The root: the console, or a short page when the console is not built. */
export const landingPage: GatewayPage = {
  path: "/",
  answer: async (call, context) => {
    if (context.site !== undefined) return await consolePage.answer(call, context);
    const { request, requestId } = call;
    const { options } = context;
    // Requests for unknown hosts were rejected, so the host is one of the options.
    const host = options.hosts.find((each) => each === request.headers.get("host")?.toLowerCase()) ?? "";
    const address = `${options.isTls ? "https" : "http"}://${host.replaceAll(/[^\w.:[\]-]/g, "")}`;
    return htmlResponse({ title: "Skillhold", body: landingBody(address), script: landingScript }, requestId);
  },
};

/**
 * The code is in the URL fragment, which browsers do not send: it appears in no log, history or Referer. Any page can link
 * here with its own code, so a signed-in user must confirm the change of user.
 */
const signInScript = `
const say = (what, hint) => {
  document.getElementById("state").textContent = what;
  document.getElementById("hint").textContent = hint;
};
const code = location.hash.slice(1);
const query = location.search.slice(1);
history.replaceState(null, "", "/sign-in");
const signIn = async () => {
  const response = await fetch(code === "" ? "/v1/sign-in/sso" : "/v1/sign-in", {
    method: "POST",
    credentials: "same-origin",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(code === "" ? { query } : { code }),
  });
  const answer = await response.json();
  if (!response.ok) return say(answer.detail, answer.hint);
  localStorage.setItem("skillhold.csrf", answer.csrf);
  if (answer.isConfirmation !== true) return location.replace("/");
  new BroadcastChannel("skillhold.confirmed").postMessage({ user: answer.user, csrf: answer.csrf });
  say("You have confirmed your identity.", "Close this window and continue in the console.");
  close();
};
const findUser = async () => {
  const csrf = localStorage.getItem("skillhold.csrf");
  if (csrf === null) return undefined;
  const response = await fetch("/v1/me", { headers: { "x-skillhold-csrf": csrf } });
  return response.ok ? (await response.json()).user : undefined;
};
const ask = (user) => {
  say("You are signed in as " + user + ".", "This link signs you out and signs you in as the user it was made for.");
  const button = document.getElementById("exchange");
  button.hidden = false;
  button.addEventListener("click", () => signIn().catch(fail), { once: true });
};
const fail = () => say("The gateway did not answer.", "Check that the gateway is running, and open the link again.");
const begin = async () => {
  const user = await findUser();
  if (user === undefined) await signIn();
  else ask(user);
};
if (code === "" && new URLSearchParams(query).has("state")) signIn().catch(fail);
else if (code === "") say("This URL has no sign-in code.", "Run skillhold token sign-in and open the link it prints.");
else begin().catch(fail);
`;

const signInBody = `<h1>Sign in to Skillhold</h1>
<p id="state" role="status">Signing in…</p>
<p id="hint"></p>
<p><button id="exchange" type="button" hidden>Sign in with this link</button></p>
<noscript><p>Signing in needs JavaScript. Without it, use a token: <code>skillhold token create</code> makes one.</p></noscript>`;

/** The target of sign-in links, and of the single sign-on provider. */
export const signInPage: GatewayPage = {
  path: "/sign-in",
  answer: async ({ requestId }) =>
    htmlResponse({ title: "Sign in · Skillhold", body: signInBody, script: signInScript }, requestId),
};
