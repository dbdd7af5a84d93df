import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";

test.runIf(process.platform !== "win32")(
  "returns no terminal for a process without one [S-28] [S-60]",
  async () => {
    const module = JSON.stringify(new URL("./tty.ts", import.meta.url).href);
    const program = `const { openTty } = await import(${module}); console.log(String(openTty()));`;
    // A new session has no terminal, even when this process has one.
    const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
      detached: true,
      stdio: ["ignore", "pipe", "inherit"],
    });
    expect(await text(child.stdout)).toBe("undefined\n");
  },
);
