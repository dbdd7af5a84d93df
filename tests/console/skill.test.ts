import { expect, test } from "vitest";
import {
  checkAccessible,
  checkWidth,
  eventually,
  excuse,
  openConsole,
  settled,
  skillText,
} from "./browser.ts";

const script = (sum: number) => `import sys\n\n\ndef main():\n    total = ${sum}\n    print(total)\n`;
const invoices = (id: string, sum: number) => ({
  "SKILL.md": skillText(
    id,
    "Reads invoices and adds them up.",
    "# Steps\n\nSee [the rules](references/rules.md).\n",
    `version: 1.${sum}.0\n`,
  ),
  "scripts/add.py": script(sum),
  "references/rules.md": "# Rules\n\nAdd all of them.\n",
  "assets/mark.bin": "\0\0",
});

test("links and findings lead to addressable files and lines [S-59]", async () => {
  const skills = { lines: invoices("lines", 1) };
  const { page, gateway } = await openConsole({ skills, at: "/skills/lines" });
  await page.getByRole("link", { name: "the rules" }).click();
  await page.getByRole("heading", { name: "references/rules.md" }).waitFor();
  await page
    .getByRole("navigation", { name: "Files" })
    .getByRole("link", { name: /add\.py/ })
    .click();
  await page.getByRole("link", { name: "Line 5", exact: true }).click();
  expect(page.url()).toBe(`${gateway.url}/skills/lines/files/scripts/add.py#L5`);
  await page.reload();
  const line = page.getByRole("link", { name: "Line 5", exact: true });
  await eventually(() => line.getAttribute("aria-current")).toBe("location");
  await page.locator("code span", { hasText: "def" }).first().waitFor();
  await page.getByRole("link", { name: /mark\.bin/ }).click();
  await page.getByText("Binary file").waitFor();
  await page.goto(`${gateway.url}/skills/lines/validation?profile=strict`);
  await page.getByRole("link", { name: "line 4" }).click();
  const found = page.getByRole("link", { name: "Line 4", exact: true });
  await eventually(() => found.getAttribute("aria-current")).toBe("location");
});

test("compares another revision, makes it current, and undoes that [S-59]", async () => {
  const { page, api } = await openConsole({
    skills: { sums: invoices("sums", 1) },
    prepare: ({ publish }) => publish({ sums: invoices("sums", 2) }),
    at: "/skills/sums/versions",
  });
  const change = page.getByRole("region", { name: "Change of scripts/add.py" });
  await change.getByText("total = 1").first().waitFor();
  await change.getByText("total = 2").first().waitFor();
  await page.getByRole("button", { name: "Roll back to r1" }).click();
  const dialog = page.getByRole("dialog", { name: "Switch sums to r1" });
  await dialog.getByText("2 files would change").waitFor();
  await checkAccessible(page);
  await dialog.getByRole("button", { name: "Switch to r1" }).click();
  await page.getByRole("row", { name: /r1 .*current/ }).waitFor();
  expect(await api("GET", "/v1/skills/sums")).toMatchObject({ entry: { revision: 1 } });
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("row", { name: /r2 .*current/ }).waitFor();
  expect(await api("GET", "/v1/skills/sums")).toMatchObject({ entry: { revision: 2 } });
});

test("a grant is given and explained, and appears in another browser [S-59]", async () => {
  const { page, visit } = await openConsole({
    prepare: async ({ api, apiAs, publish }) => {
      await publish({ loans: invoices("loans", 1) }, await apiAs({ role: "publisher", user: "bob" }));
      await api("POST", "/v1/agents", { key: "writer", runtime: "demo", owner: "cat" });
    },
    at: "/skills/loans/access",
  });
  const other = await visit({ at: "/skills/loans/access?agent=writer" });
  await other.page.getByText("No.", { exact: true }).waitFor();
  await other.page.getByText("Live", { exact: true }).first().waitFor();
  await page.getByRole("button", { name: "Grant", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Grant loans" });
  const manage = dialog.getByRole("checkbox", { name: /^Can manage/ });
  expect(await manage.count()).toBe(0);
  await dialog.getByRole("combobox", { name: "Kind" }).selectOption("user");
  await manage.check();
  // An agent cannot manage, so the choice does not survive the change of kind.
  await dialog.getByRole("combobox", { name: "Kind" }).selectOption("agent");
  expect(await manage.count()).toBe(0);
  await dialog.getByRole("combobox", { name: "Agent" }).selectOption("writer");
  await dialog.getByRole("combobox", { name: /^Revision/ }).selectOption("1");
  await checkAccessible(page);
  await dialog.getByRole("button", { name: "Grant", exact: true }).click();
  await page.getByRole("row", { name: /^agent writer use/ }).waitFor();
  await other.page.getByText("Rule: granted to the agent.").waitFor();
  await page.getByRole("button", { name: "Revoke grant from writer" }).click();
  await other.page.getByText("No.", { exact: true }).waitFor();
});

test("an edit does not overwrite someone else's change [S-59]", async () => {
  const visitor = await openConsole({ skills: { bills: invoices("bills", 1) }, at: "/skills/bills" });
  const { page, api } = visitor;
  const edit = async () => {
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("button", { name: "Edit details" }).click();
    return page.getByRole("dialog", { name: "Edit bills" });
  };
  const first = await edit();
  await first.getByLabel("Display name").fill("Bills");
  await first.getByLabel("Tags").fill("office, money");
  await first.getByRole("button", { name: "Save" }).click();
  await page.getByRole("link", { name: "money" }).waitFor();
  const second = await edit();
  await second.getByLabel("Description").fill("Mine.");
  await api("PUT", "/v1/skills/bills", { description: "Theirs." });
  await second.getByRole("button", { name: "Save" }).click();
  await second.getByText("The resource changed since you read it.").waitFor();
  excuse(visitor, /412/);
  expect(await api("GET", "/v1/skills/bills")).toMatchObject({
    entry: { name: "Bills", description: "Theirs." },
  });
});

test("restores a skill that was deleted by someone else or by typing its id [S-59]", async () => {
  const skills = { debts: invoices("debts", 1), plain: {} };
  const { page, gateway, api } = await openConsole({ skills, at: "/skills/plain" });
  await page.getByText("Live", { exact: true }).first().waitFor();
  await api("DELETE", "/v1/skills/plain");
  await page.getByText("The skill is deleted.").waitFor();
  await page.getByRole("button", { name: "Restore" }).click();
  await page.getByRole("switch", { name: /plain/ }).waitFor();
  await page.goto(`${gateway.url}/skills/debts`);
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("button", { name: "Delete" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete debts" });
  expect(await dialog.getByRole("button", { name: "Delete" }).isDisabled()).toBe(true);
  await dialog.getByLabel("Type debts to confirm").fill("debts");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.waitForURL(`${gateway.url}/skills`);
  await page.getByRole("link", { name: "plain" }).waitFor();
  await page.getByRole("link", { name: "debts" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("link", { name: "debts" }).waitFor();
});

const RTL = "\u202e";
const attack = `<script>window.attacked = "script"</script>
<img src="x" onerror="window.attacked = 'image'">
<svg onload="window.attacked = 'svg'"><a href="javascript:window.attacked='svg link'"><text y="20">svg</text></a></svg>
<iframe srcdoc="<script>parent.attacked = 'frame'</script>"></iframe>
<style>main { display: none }</style>
<form action="https://evil.test"><button id="root" autofocus onfocus="window.attacked = 'focus'">button</button></form>
<a href="javascript:window.attacked='html link'">html link</a>

[markdown link](javascript:window.attacked='link')
[data link](data:text/html,<script>opener.attacked='data'</script>)
[vb link](vbscript:attacked)
![remote](https://evil.test/pixel.png)
[reference link][r]

[r]: <javascript:window.attacked='reference'>

${RTL}this is turned around

${"w".repeat(20_000)}

|${"a|".repeat(200)}
|${"-|".repeat(200)}

${"> ".repeat(300)}deep

The end of it.`;

test("no SKILL.md runs code, loads resources or breaks the page [S-59]", async () => {
  const visitor = await openConsole({
    width: 360,
    skills: {
      evil: {
        "SKILL.md": skillText(
          "evil",
          `<img src=x onerror="window.attacked='description'">${RTL} turned`,
          attack,
          'author: "<script>window.attacked=1</script>"\nhomepage: "javascript:window.attacked=2"\nmetadata: {openclaw: {homepage: "javascript:window.attacked=3", emoji: "<b>"}}\n',
        ),
        "references/&lt;img src=x onerror=attacked=1&gt;.md": attack,
        "page.html": attack,
        "image.svg":
          '<svg xmlns="http://www.w3.org/2000/svg" onload="top.attacked=4"><script>top.attacked=5</script></svg>',
      },
    },
  });
  const { page, gateway, context } = visitor;
  const foreign: string[] = [];
  context.on("request", (request) => {
    if (!request.url().startsWith(gateway.url) && !/^(data|blob):/.test(request.url()))
      foreign.push(request.url());
  });
  const paths = [
    "/skills",
    "/skills/evil",
    "/skills/evil/files/SKILL.md",
    `/skills/evil/files/${encodeURIComponent("references")}/${encodeURIComponent("&lt;img src=x onerror=attacked=1&gt;.md")}`,
    "/skills/evil/files/page.html",
    "/skills/evil/files/image.svg",
    "/skills/evil/validation",
    "/catalogue",
    "/search?q=turned",
    "/activity",
    "/search?q=%3Cimg%20src%3Dx%20onerror%3Dattacked%3D1%3E",
    "/skills?q=%3Cscript%3Ewindow.attacked%3D1%3C%2Fscript%3E&tab=__proto__&health=constructor&order=toString",
  ];
  for (const path of paths) {
    await page.goto(`${gateway.url}${path}`);
    await settled(page);
    expect([path, await page.evaluate("window.attacked")]).toEqual([path, undefined]);
    expect(await page.getByRole("heading", { level: 1 }).count()).toBeGreaterThan(0);
    await checkWidth(page);
  }
  await page.goto(`${gateway.url}/skills/evil`);
  await page.getByText("The end of it.").waitFor();
  const dangerous: unknown = await page.evaluate(
    `[...document.querySelectorAll("main a, main form, main iframe, main script, main style, main object")].map((each) => each.href ?? each.tagName).filter((each) => !/^https?:/.test(each))`,
  );
  expect(dangerous).toEqual([]);
  expect(await page.locator("#root").count()).toBe(1);
  for (const link of await page.getByRole("main").getByRole("link", { name: /link$/ }).all())
    expect(await link.getAttribute("href")).toMatch(/^(https?:|\/|#)/);
  expect(foreign).toEqual([]);
});

test("links of a SKILL.md stay in the console or lead to the web, and pass the accessibility check [S-59]", async () => {
  const body = `<img src="x" onerror="window.attacked = 'image'">

[run](javascript:window.attacked=1) [data](data:text/html,x) [out](../../v1/me) [page](https://example.org/)
![beacon](https://evil.test/beacon.png)
${RTL}right to left ${"long".repeat(5000)}`;
  const more = "metadata:\n  openclaw:\n    homepage: javascript:window.attacked=1\n";
  const { page, gateway, context } = await openConsole({
    skills: { mean: { "SKILL.md": skillText("mean", "About nothing.", body, more) } },
  });
  const asked: string[] = [];
  context.on("request", (request) => asked.push(request.url()));
  await page.goto(`${gateway.url}/skills/mean`);
  await page.getByText("beacon").waitFor();
  const links: unknown = await page.evaluate(
    `[...document.querySelectorAll("#main a")].map((link) => link.href).filter((href) => !href.startsWith(location.origin + "/skills"))`,
  );
  expect(links).toEqual(["https://example.org/"]);
  expect(await page.getByRole("link", { name: /^page/ }).getAttribute("rel")).toBe("noopener noreferrer");
  await checkAccessible(page);
  await checkWidth(page);
  expect(await page.evaluate("window.attacked")).toBeUndefined();
  expect(asked.filter((url) => !url.startsWith(gateway.url))).toEqual([]);
});
