import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { bubblewrap } from "@skillhold/sandbox/test/backend/bubblewrap";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Attack } from "./attack.ts";
import { limitAttacks } from "./attack-limit.ts";
import { attacks } from "./attacks.ts";
import { runAttack } from "./run-attack.ts";
import { Stage } from "./scene.ts";

const stage = new Stage();
beforeAll(async () => void (await stage.open()));
afterAll(() => stage.close());

describe.runIf(process.platform === "linux")("in bubblewrap", () => {
  const sandbox = bubblewrap();
  test.concurrent.for(attacks)("a script cannot $title [S-29]", async (attack) => {
    expect(await runAttack(attack, sandbox, stage, { hasMount: false })).toBeUndefined();
  });

  // A run with folders of the current user runs as that user, not as an unprivileged one.
  const others = attacks.filter((attack) => !limitAttacks.includes(attack));
  test.concurrent.for(others)("a script with mounted folders cannot $title [S-29]", async (attack) => {
    expect(await runAttack(attack, sandbox, stage, { hasMount: true })).toBeUndefined();
  });

  test("a script cannot read the files of another run [S-29]", async () => {
    const writer = attackOf("shell", 'echo "$MARK" > private; echo "$MARK" > /tmp/private; sleep 20', {
      wallMs: 3000,
    });
    const reader = attackOf(
      "shell",
      // Searches repeatedly, so that both runs overlap.
      "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do cat $HOME/private /tmp/private /proc/[0-9]*/root$HOME/private; sleep 0.1; done",
    );
    const marks: string[] = [];
    const run = (attack: Attack) => runAttack(attack, sandbox, stage, { hasMount: false });
    const [, seen] = await Promise.all([
      run({ ...writer, harm: ({ scene }) => void marks.push(scene.mark) }),
      run({ ...reader, harm: ({ output }) => output }),
    ]);
    expect(marks).toHaveLength(1);
    expect(seen).toContain("No such file");
    expect(seen).not.toContain("mark-");
  });

  test.for([
    ["bare", true],
    ["bubblewrap", false],
  ] as const)("an inherited descriptor: %s passes it on: %s [S-29]", async ([kind, isSeen]) => {
    expect((await runWithDescriptor(kind)).includes(stage.token)).toBe(isSeen);
  });
});

function attackOf(language: Attack["language"], script: string, limits: Attack["limits"] = {}): Attack {
  return { name: "other", title: "", language, script, limits, harm: () => undefined, bare: "harms" };
}

/**
 * Node closes inherited descriptors up to the first gap; one behind a gap stays open, as some shells and
 * editors leave it.
 */
async function runWithDescriptor(kind: "bare" | "bubblewrap"): Promise<string> {
  const canary = openSync(join(stage.temporary, "canary"), "r");
  try {
    const stdio = [
      "ignore",
      "pipe",
      "inherit",
      ...Array.from({ length: 37 }, () => "ignore" as const),
      canary,
    ] as const;
    const program = join(import.meta.dirname, "inherit.ts");
    const child = spawn(process.execPath, ["--conditions=@skillhold/source", program, kind], {
      stdio: [...stdio],
    });
    return child.stdout === null ? "" : await text(child.stdout);
  } finally {
    closeSync(canary);
  }
}
