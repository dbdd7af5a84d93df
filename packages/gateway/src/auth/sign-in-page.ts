import type { Page } from "../page/page.ts";
import { htmlResponse } from "./html-page.ts";

/**
 * The code is behind the `#`, which no browser sends: it is in no log, no history and no Referer. Any page can lead here
 * with a code of its own: who is signed in does not become someone else without saying so.
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
  say("You are signed in as " + user + ".", "This link signs you out, and in again as the person it was made for.");
  const button = document.getElementById("exchange");
  button.hidden = false;
  button.addEventListener("click", () => signIn().catch(fail), { once: true });
};
const fail = () => say("The gateway did not answer.", "Check that it runs, then open the link again.");
const begin = async () => {
  const user = await findUser();
  if (user === undefined) await signIn();
  else ask(user);
};
if (code === "") say("There is no code in this address.", "Run skillhold token sign-in and open the link it prints.");
else begin().catch(fail);
`;

const body = `<h1>Sign in to Skillhold</h1>
<p id="state" role="status">Signing in…</p>
<p id="hint"></p>
<p><button id="exchange" type="button" hidden>Sign in with this link</button></p>
<noscript><p>Signing in needs JavaScript. Without it, use a token: <code>skillhold token create</code> makes one.</p></noscript>`;

/** Where the link leads that someone signs in with. */
export const signInPage: Page = {
  path: "/sign-in",
  answer: async ({ requestId }) => htmlResponse({ title: "Sign in · Skillhold", body, script }, requestId),
};
