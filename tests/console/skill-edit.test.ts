import { routeTable } from "@skillhold/protocol/http";
import { expect, test } from "vitest";
import { checkAccessible, checkWidth, eventually, openConsole } from "./browser.ts";
import { skillText } from "./skill-zip.ts";

const script = 'import sys\n\nprint("got", *sys.argv[1:], sys.stdin.read())\n';
const needy = "metadata:\n  openclaw:\n    requires:\n      env: [ACME_TEST_KEY]\n";
const skills = {
  "note-taker": {
    "SKILL.md": skillText("note-taker", "Takes notes of a meeting.", "Write short notes.", needy),
    "scripts/echo.py": script,
  },
};

test("a manager edits a file with live checks and publishes it, runs a script, and sets a secret [S-59]", async () => {
  const { page, gateway, api } = await openConsole({ skills, at: "/skills/note-taker/files/SKILL.md" });
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  const editor = page.getByLabel("Text of SKILL.md");
  const before = await editor.inputValue();
  await editor.fill("no frontmatter");
  await page.getByText(/the gateway would reject it/).waitFor();
  await checkAccessible(page);
  await editor.fill(before.replace("Write short notes.", "Write short notes with names."));
  await page.getByText("Valid.", { exact: true }).waitFor();
  expect(await page.getByRole("button", { name: "Propose" }).isDisabled()).toBe(true);
  await page.getByRole("button", { name: "Publish revision" }).click();
  await page.getByText("note-taker published as r2").waitFor();
  expect(await api("GET", "/v1/skills/note-taker")).toMatchObject({
    body: expect.stringContaining("with names"),
    registry: { revision: 2 },
    files: [{ path: "SKILL.md" }, { path: "scripts/echo.py" }],
  });
  await page.goto(`${gateway.url}/skills/note-taker`);
  await page
    .getByText(/ACME_TEST_KEY/)
    .first()
    .waitFor();
  await page
    .getByRole("region", { name: "Warnings" })
    .getByRole("link", { name: "See dependencies" })
    .click();
  expect(await page.getByLabel("Variable").inputValue()).toBe("ACME_TEST_KEY");
  await page.getByLabel("Value").fill("a-secret-value");
  await page.getByLabel("Value").press("Enter");
  await page.getByRole("button", { name: "Remove the secret ACME_TEST_KEY" }).waitFor();
  expect(await page.content()).not.toContain("a-secret-value");
  await checkAccessible(page);
  await page.goto(`${gateway.url}/skills/note-taker/files/scripts/echo.py`);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByLabel("Arguments").fill("one\ntwo words");
  await page.getByLabel("Input").fill("three");
  await page.getByRole("button", { name: "Run in the sandbox" }).click();
  const output = page.getByRole("region", { name: "Output of scripts/echo.py" });
  await eventually(() => output.textContent()).toContain("got one two words three");
  await checkAccessible(page);
  await page.setViewportSize({ width: 360, height: 740 });
  const tabs = await page.getByRole("navigation", { name: "Parts of the skill" }).boundingBox();
  expect(tabs?.y ?? 999).toBeLessThan(320);
  await page.getByRole("button", { name: "Show details" }).click();
  await page.getByText("Takes notes of a meeting.").waitFor();
  await checkWidth(page);
});

test("a publisher who does not manage a skill proposes an edit [S-49] [S-59]", async () => {
  const { page, api } = await openConsole({
    prepare: async ({ api: call, publish }) => {
      await publish({ "team-guide": {} });
      await call("PUT", "/v1/skills/team-guide", { visibility: "public" });
    },
    who: { role: "publisher", user: "pip" },
    at: "/skills/team-guide/files/SKILL.md",
  });
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  const editor = page.getByLabel("Text of SKILL.md");
  await editor.fill(`${await editor.inputValue()}\nAsk before you merge.\n`);
  expect(await page.getByRole("button", { name: "Publish revision" }).count()).toBe(0);
  await page.getByLabel("Reason").fill("Merges broke the build.");
  await page.getByRole("button", { name: "Propose" }).click();
  await page.getByRole("heading", { name: "Change of team-guide", level: 1 }).waitFor();
  await page.getByText("Merges broke the build.").waitFor();
  await page.getByRole("button", { name: "Withdraw" }).waitFor();
  expect(await page.getByRole("button", { name: "Approve" }).count()).toBe(0);
  expect(await api("GET", "/v1/skills/team-guide")).toMatchObject({ registry: { revision: 1 } });
});

test("a manager adds a file and deletes it again, each as a revision [S-59]", async () => {
  const { page, gateway, api } = await openConsole({ skills: { filed: {} }, at: "/skills/filed/files" });
  const pathsOf = async () => {
    const { files } = routeTable.getSkill.answer.parse(await api("GET", "/v1/skills/filed"));
    return files.map(({ path }) => path);
  };
  await page.getByRole("button", { name: "New file" }).click();
  const path = page.getByLabel("Path of the new file");
  await path.fill("../outside.md");
  expect(await page.getByRole("button", { name: "Add", exact: true }).isDisabled()).toBe(true);
  await checkAccessible(page);
  await path.fill("references/tone.md");
  await path.press("Enter");
  await page.getByLabel("Text of references/tone.md").fill("Be kind.\n");
  await page.getByRole("button", { name: "Publish revision" }).click();
  await page.waitForURL(`${gateway.url}/skills/filed/files/references/tone.md`);
  await page.getByText("Be kind.").first().waitFor();
  expect(await pathsOf()).toEqual(["SKILL.md", "references/tone.md"]);
  await page.getByRole("button", { name: "Delete file" }).click();
  const form = page.getByRole("region", { name: "Delete references/tone.md" });
  await checkAccessible(page);
  await form.getByRole("button", { name: "Delete file" }).click();
  await page.getByText("filed published as r3").waitFor();
  await page.waitForURL(`${gateway.url}/skills/filed/files`);
  expect(await pathsOf()).toEqual(["SKILL.md"]);
  await page.setViewportSize({ width: 360, height: 740 });
  await checkWidth(page);
});

const counter = `from langchain_core.tools import tool


@tool
def count_words(text: str, times: int = 1) -> dict:
    """Counts the words of a text."""
    return {"words": len(text.split()) * times}
`;

test("calls a declared tool with a form of its schema, and shows the result [S-59]", async () => {
  const { page } = await openConsole({
    skills: { counts: { "tools/count.py": counter } },
    at: "/skills/counts/files/tools/count.py",
  });
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("button", { name: "List tools" }).click();
  await page.getByText("Counts the words of a text.").first().waitFor();
  await page.getByLabel("text *").fill("one two three");
  await page.getByLabel("times").fill("many");
  await page.getByRole("button", { name: "Run in the sandbox" }).click();
  await page.getByText("times must be a number.").waitFor();
  await page.getByLabel("times").fill("2");
  await page.getByRole("button", { name: "Run in the sandbox" }).click();
  const result = page.getByRole("region", { name: "Result of tools/count.py" });
  await eventually(() => result.textContent()).toContain('"words": 6');
  await checkAccessible(page);
  await page.setViewportSize({ width: 360, height: 740 });
  await checkWidth(page);
});
