import { expect, test } from "vitest";
import { checkWidth, openConsole, settled, skillText } from "./browser.ts";

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

test("whatever a SKILL.md says, nothing of it runs, is fetched or breaks the page [S-59]", async () => {
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
