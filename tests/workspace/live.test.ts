import { ManualTimers } from "@skillhold/core/test/manual-timers.fixture";
import { LiveWorkspace, type WorkspaceChange } from "@skillhold/registry/workspace";
import { expect, onTestFinished, test } from "vitest";
import { WorkspaceFolder } from "./workspace.fixture.ts";

const DEBOUNCE = 2000;

function open(folder: WorkspaceFolder) {
  const timers = new ManualTimers();
  const workspace = new LiveWorkspace(folder.path, { id: "seo", timers });
  onTestFinished(() => workspace.close());
  const changes: WorkspaceChange[] = [];
  workspace.onChange((change) => changes.push(change));
  return { workspace, timers, changes };
}

test("many changed files are one reload after a quiet time of two seconds [S-56]", async () => {
  const folder = new WorkspaceFolder().config(["a-skill"]).skill("a-skill").write("system-prompt.md", "One.");
  const { workspace, timers, changes } = open(folder);
  folder
    .skill("b-skill")
    .skill("c-skill")
    .config(["a-skill", "b-skill", "c-skill"])
    .write("system-prompt.md", "Two.");
  await timers.set(DEBOUNCE);
  timers.advance(DEBOUNCE - 1);
  expect(changes).toEqual([]);
  // Late hints of the system restart the quiet time.
  await expect
    .poll(() => {
      timers.advance(DEBOUNCE);
      return changes.length;
    })
    .toBe(1);
  expect(changes).toMatchObject([
    { isCardChanged: true, isPromptChanged: true, added: ["b-skill", "c-skill"], removed: [] },
  ]);
  expect(workspace.card.skills.map(({ id }) => id)).toEqual(["a-skill", "b-skill", "c-skill"]);
});

test("a file in a new folder is seen, and an edit of a skill changes the card's version [S-56]", async () => {
  const folder = new WorkspaceFolder()
    .config(["a-skill", "late"])
    .skill("a-skill")
    .write("system-prompt.md", "One.");
  const { workspace, timers, changes } = open(folder);
  expect(workspace.problems).toMatchObject([{ code: "skill-missing", subject: "late" }]);
  const settled = async (count: number) =>
    await expect
      .poll(() => {
        timers.advance(DEBOUNCE);
        return changes.length;
      })
      .toBe(count);
  folder.skill("late");
  await settled(1);
  expect(workspace.problems).toEqual([]);
  const { version } = workspace.card;
  folder.skill("late", "Do it better.");
  await settled(2);
  expect(workspace.card.version).not.toBe(version);
});

test("a broken config keeps the running one and reports the problem [S-56]", async () => {
  const folder = new WorkspaceFolder().config(["a-skill"]).skill("a-skill").write("system-prompt.md", "One.");
  const { workspace, changes } = open(folder);
  folder.write("config.yaml", "skills: [a-skill\n: :");
  workspace.reload();
  expect(changes).toMatchObject([{ isCardChanged: false, added: [], removed: [] }]);
  expect(workspace.card.skills.map(({ id }) => id)).toEqual(["a-skill"]);
  expect(workspace.problems.map(({ code }) => code)).toContain("config-invalid");
  folder.config(["a-skill"], "tier: 3\n");
  workspace.reload();
  expect([workspace.config.tier, workspace.problems.map(({ code }) => code)]).toEqual([1, ["cold-field"]]);
});

test("an unchanged reload sends no change [S-56]", () => {
  const folder = new WorkspaceFolder().config(["a-skill"]).skill("a-skill").write("system-prompt.md", "One.");
  const { workspace, changes } = open(folder);
  expect(workspace.reload()).toBeUndefined();
  folder.skill("unlisted");
  expect([workspace.reload(), changes]).toEqual([undefined, []]);
});
