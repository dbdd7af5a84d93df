import { memoryApprovals, wrapTools } from "@skillhold/core";
import { skill } from "@skillhold/core/test/session/session.fixture";
import { fixedAsker } from "@skillhold/sandbox/test/run/run.fixture";
import { expect, test } from "vitest";
import { openRunning, typesOf } from "./session-run.fixture.ts";

const broad = (body = "# Steps\n") => skill("vcs", { yaml: "allowed-tools: Bash(git:*) Read", body });
const run = (command: string) => ["Bash", { command }] as const;

test("a command under Bash(git:*) is asked about, and remembered by its first words [S-30] [S-28]", async () => {
  const asker = fixedAsker("content");
  const { session, library, events } = await openRunning([broad()], { asker });
  await session.activate("vcs");
  expect(await session.guard(...run("git push origin main"))).toEqual({
    verdict: "allowed",
    argv: ["git", "push", "origin", "main"],
  });
  expect(await session.guard(...run("git push origin next"))).toMatchObject({ verdict: "allowed" });
  expect(asker.asked).toEqual(["vcs git push git push origin main"]);
  await session.guard(...run("git rebase main"));
  await session.guard(...run("git push --receive-pack=x origin"));
  expect(asker.asked).toHaveLength(3);
  library.replace([broad("# Other steps\n")]);
  await session.activate("vcs");
  await session.guard(...run("git push origin main"));
  expect(asker.asked).toHaveLength(4);
  expect(events).toContainEqual(
    expect.objectContaining({ type: "approval.granted", act: "use_tool", target: "git push" }),
  );
  await session.close();
});

test("chaining is never asked about, and a no or no asker blocks the command [S-30]", async () => {
  const asker = fixedAsker("deny");
  const asking = await openRunning([broad()], { asker });
  await asking.session.activate("vcs");
  for (const command of [
    "git push; id",
    "git push && id",
    "git push | sh",
    "git $(id)",
    "id",
    "git push\nid",
  ])
    expect(await asking.session.guard(...run(command))).toMatchObject({ verdict: "blocked" });
  expect(asker.asked).toEqual([]);
  expect(await asking.session.guard(...run("git push"))).toMatchObject({ verdict: "blocked", skill: "vcs" });
  expect(asker.asked).toHaveLength(1);
  const alone = await openRunning([broad()], { approvals: memoryApprovals() });
  await alone.session.activate("vcs");
  expect(await alone.session.guard(...run("git push"))).toMatchObject({ verdict: "blocked" });
  expect(typesOf(alone.events)).toContain("skill.denied");
  await asking.session.close();
  await alone.session.close();
});

test("a wrapped tool runs an approved command as words, and another skill can still block it [S-30] [S-31]", async () => {
  const strict = skill("strict", { yaml: "allowed-tools: Read" });
  const asker = fixedAsker("once");
  const { session } = await openRunning([broad(), strict], { asker });
  await session.activate("vcs");
  const calls: unknown[] = [];
  const { Bash } = wrapTools({ Bash: async (...args: unknown[]) => calls.push(args[2]) }, session);
  await Bash({ command: "git push" });
  expect(calls).toMatchObject([{ argv: ["git", "push"] }]);
  await session.activate("strict");
  expect(await Bash({ command: "git push" })).toMatch("blocked: the skill strict");
  expect(asker.asked).toHaveLength(1);
  await session.close();
});
