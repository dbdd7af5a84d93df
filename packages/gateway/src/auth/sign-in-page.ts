import type { Page } from "../page.ts";
import { htmlResponse } from "./html-page.ts";

/** The code is behind the `#`, which no browser sends: it is in no log, no history and no Referer. */
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
if (code === "") say("There is no code in this address.", "Run skillhold token sign-in and open the link that it prints.");
else signIn().catch(() => say("The gateway did not answer.", "See that it runs, and open the link once more."));
`;

const body = `<h1>Sign in to Skillhold</h1>
<p id="state" role="status">Signing in…</p>
<p id="hint"></p>
<noscript><p>Signing in takes JavaScript. Without it, use a token: <code>skillhold token create</code> makes one.</p></noscript>`;

/** Where the link leads that someone signs in with. */
export const signInPage: Page = {
  path: "/sign-in",
  answer: async ({ requestId }) => htmlResponse({ title: "Sign in · Skillhold", body, script }, requestId),
};
