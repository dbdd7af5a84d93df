import { htmlResponse } from "./html-page.ts";
import type { Page } from "./page.ts";

/**
 * The code is in the URL fragment, which browsers do not send: it appears in no log, history or Referer. Any page can link
 * here with its own code, so a signed-in user must confirm the change of user.
 */
const script = `
const say = (what, hint) => {
  document.getElementById("state").textContent = what;
  document.getElementById("hint").textContent = hint;
};
const code = location.hash.slice(1);
history.replaceState(null, "", "/sign-in");
const signIn = async () => {
  const response = await fetch("/v1/sign-in", {
    method: "POST",
    credentials: "same-origin",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code }),
  });
  const answer = await response.json();
  if (!response.ok) return say(answer.detail, answer.hint);
  localStorage.setItem("skillhold.csrf", answer.csrf);
  location.replace("/");
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
if (code === "") say("This URL has no sign-in code.", "Run skillhold token sign-in and open the link it prints.");
else begin().catch(fail);
`;

const body = `<h1>Sign in to Skillhold</h1>
<p id="state" role="status">Signing in…</p>
<p id="hint"></p>
<p><button id="exchange" type="button" hidden>Sign in with this link</button></p>
<noscript><p>Signing in needs JavaScript. Without it, use a token: <code>skillhold token create</code> makes one.</p></noscript>`;

/** The target of sign-in links. */
export const signInPage: Page = {
  path: "/sign-in",
  answer: async ({ requestId }) => htmlResponse({ title: "Sign in · Skillhold", body, script }, requestId),
};
