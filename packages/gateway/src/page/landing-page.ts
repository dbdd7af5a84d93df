import { consolePage } from "./console-page.ts";
import { htmlResponse } from "./html-page.ts";
import type { Page } from "./page.ts";

const script = `
const csrf = localStorage.getItem("skillhold.csrf");
const showUser = async () => {
  const response = await fetch("/v1/me", { headers: { "x-skillhold-csrf": csrf } });
  if (!response.ok) return;
  const { user, role } = await response.json();
  document.getElementById("who").textContent = "You are signed in as " + user + ", with the role " + role + ".";
};
if (csrf !== null) showUser().catch(() => {});
`;

const bodyFor = (address: string) => `<h1>A Skillhold gateway runs here</h1>
<p id="who" role="status">You are not signed in. <code>skillhold token sign-in</code> prints a sign-in link.</p>
<p><a href="/reference">The reference</a> lists every route. It requires a sign-in.</p>
<p>Programs send a token:</p>
<pre>skillhold token create --name &lt;name&gt; --role viewer
curl -H "Authorization: Bearer &lt;token&gt;" ${address}/v1/skills</pre>`;

/** The root: the console, or a short page when the console is not built. */
export const landingPage: Page = {
  path: "/",
  answer: async (call, context) => {
    if (context.site !== undefined) return await consolePage.answer(call, context);
    const { request, requestId } = call;
    const { options } = context;
    // Requests for unknown hosts were rejected, so the host is one of the options.
    const host = options.hosts.find((each) => each === request.headers.get("host")?.toLowerCase()) ?? "";
    const address = `${options.isTls ? "https" : "http"}://${host.replaceAll(/[^\w.:[\]-]/g, "")}`;
    return htmlResponse({ title: "Skillhold", body: bodyFor(address), script }, requestId);
  },
};
