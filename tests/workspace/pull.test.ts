import { ManualTimers } from "@skillhold/core/test/manual-timers.fixture";
import { LiveWorkspace, type WorkspaceChange } from "@skillhold/registry/workspace";
import { expect, onTestFinished, test } from "vitest";
import { PulledWorkspaces } from "./pull.fixture.ts";

const DEBOUNCE = 2000;

test("a git pull of 50 workspaces with 40 skills is one reload of each [S-56]", async () => {
  const pulled = new PulledWorkspaces({ workspaces: 50, skills: 40 });
  onTestFinished(() => pulled.remove());
  const timers = new ManualTimers();
  const opened = pulled.folders.map((folder, at) => {
    const workspace = new LiveWorkspace(folder, { id: `workspace-${at}`, timers });
    onTestFinished(() => workspace.close());
    const changes: WorkspaceChange[] = [];
    workspace.onChange((change) => changes.push(change));
    return { workspace, changes };
  });
  pulled.commit("second");
  pulled.pull();
  // Hints of the system arrive late, and each restarts the quiet time of its workspace.
  await expect
    .poll(() => {
      timers.advance(DEBOUNCE);
      return opened.filter(({ changes }) => changes.length > 0).length;
    })
    .toBe(50);
  for (let more = 0; more < 3; more += 1) timers.advance(DEBOUNCE);
  expect(opened.map(({ changes }) => changes.length)).toEqual(Array(50).fill(1));
  for (const { workspace, changes } of opened) {
    expect(changes).toMatchObject([{ isCardChanged: true, isPromptChanged: true, problems: [] }]);
    const [first] = workspace.card.skills;
    expect([workspace.card.skills.length, workspace.card.description, first?.description]).toEqual([
      40,
      "second",
      "About skill-0, second.",
    ]);
  }
});
