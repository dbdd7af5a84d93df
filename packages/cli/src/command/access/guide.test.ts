import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { registryScene } from "../../registry.fixture.ts";

const scene = registryScene({ beforeEach, afterEach });
const page = readFileSync(
  fileURLToPath(new URL("../../../../../docs/guide/access.md", import.meta.url)),
  "utf8",
);

test("the commands of the guide work in their order, as written [S-43] [S-72]", async () => {
  const blocks = [...page.matchAll(/^```console\n(.*?)^```/gms)].map(([, block = ""]) => block);
  const lines = blocks.flatMap((block) => block.split("\n"));
  const commands = lines.flatMap((line) => /^\$ npx skillhold (.*?)(?: +#.*)?$/.exec(line)?.[1] ?? []);
  expect(commands.length).toBeGreaterThan(10);
  for (const command of commands) {
    const argv = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain = ""]) => quoted ?? plain);
    const { code, out, err } = await scene.text(argv);
    expect({ command, code, err }).toEqual({ command, code: 0, err: expect.any(String) });
    if (command.startsWith("list")) expect(out).toContain("notes");
  }
});
