import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fakeHost } from "@skillhold/cli/test/fake-host";
import { main } from "@skillhold/cli/test/main";
import type { ModelReply, ModelRequest } from "@skillhold/testing";
import { type ModelServer, startModelServer } from "@skillhold/testing";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

const page = readFileSync(resolve(import.meta.dirname, "../docs/guide/evals.md"), "utf8");
let root: string;
let server: ModelServer;
let env: Record<string, string>;

/** A model that works, judges and writes descriptions, well enough for the page. */
function answer({ messages, tools, system }: ModelRequest): ModelReply {
  const first = messages.find(({ role }) => role === "user")?.text ?? "";
  if (first.includes("<assertions>"))
    return { text: '[{"assertion": 1, "passed": true, "evidence": "Alice"}]' };
  if (tools.length === 0) return { text: "Writes greetings and welcomes." };
  const turn = messages.filter(({ role }) => role === "assistant").length;
  if (turn === 0 && system.includes("greet"))
    return { calls: [{ name: "read_skill", input: { skill_id: "greet" } }] };
  if (turn <= 1 && first.includes("card.txt"))
    return {
      calls: [
        { name: "write_file", input: { path: "card.txt", content: turn === 0 ? "Hello" : "Ahoy, Bob" } },
      ],
    };
  return { text: turn === 0 ? "Hello, Alice" : "Ahoy, Alice" };
}

/** Clients that answer without reading a skill. */
const clients = {
  claude: { type: "result", subtype: "success", is_error: false, result: "No.", num_turns: 1 },
  codex: { type: "turn.completed", usage: { input_tokens: 1, cached_input_tokens: 0, output_tokens: 1 } },
};

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "skillhold-eval-docs-"));
  for (const [, path = "", content = ""] of page.matchAll(/```\w+ file=(\S+)\n(.*?)```/gs))
    write(path, content);
  cpSync(join(root, "skills/greet"), join(root, "old/greet"), { recursive: true });
  write("old/greet/SKILL.md", "---\nname: greet\ndescription: Greets people.\n---\nGreet.\n");
  write("skills/mail/SKILL.md", "---\nname: mail\ndescription: Sends letters.\n---\nSend.\n");
  for (const [name, line] of Object.entries(clients)) {
    write(`bin/${name}`, `#!/bin/sh\necho '${JSON.stringify(line)}'\n`);
    chmodSync(join(root, "bin", name), 0o755);
  }
  server = await startModelServer(answer);
  env = {
    SKILLHOLD_DATA: join(root, "data"),
    SKILLHOLD_MODEL_URL: `${server.url}/v1`,
    SKILLHOLD_MODEL_KEY: "x",
    PATH: join(root, "bin"),
  };
});

afterAll(async () => {
  await server?.close();
  rmSync(root, { recursive: true, force: true });
});

function write(path: string, content: string): void {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

const commands = [...page.matchAll(/```sh\n(.*?)```/gs)]
  .flatMap(([, block = ""]) => block.split("\n"))
  .flatMap((line) => /^skillhold (.*)$/.exec(line)?.[1] ?? []);

test("every command of the eval guide runs, in the order of the page [S-51]", async () => {
  expect(commands.length).toBeGreaterThan(10);
  for (const command of commands) {
    const { host, texts, emit } = fakeHost(root, { env });
    // A content of its own lets `compare` find two.
    if (command.startsWith("eval compare")) await rerunOld();
    const ended = main(command.split(" "), host);
    if (command.startsWith("dev ")) {
      await vi.waitFor(() => expect(texts().out).toContain("triggers: first"), { timeout: 120_000 });
      emit("SIGINT");
      expect(await ended).toBe(130);
    } else expect({ command, code: await ended, ...texts() }).toMatchObject({ command, code: 0 });
  }
});

/** An eval of the content from before an edit. */
async function rerunOld(): Promise<void> {
  const { host } = fakeHost(root, { env });
  const command = "eval run old/greet --model gpt-5.1 --judge-model gpt-5.1 --runs 1";
  expect(await main(command.split(" "), host)).toBe(0);
}
