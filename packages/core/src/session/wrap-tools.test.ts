import { SkillError } from "@skillhold/protocol/error";
import { describe, expect, test } from "vitest";
import { type ActiveGrant, guardToolCall } from "../policy/index.ts";
import { type ToolGuard, wrapTools } from "./wrap-tools.ts";

const context = { session: "s1", runtime: "test", activeSkills: [] };

function guardOf(...allowedTools: readonly string[]): ToolGuard {
  const active: readonly ActiveGrant[] = [{ skill: "pdf", allowedTools }];
  return {
    guard: async (tool, input, owner) =>
      guardToolCall({ tool, input, ...(owner === undefined ? {} : { owner }) }, active),
    toolContext: () => context,
  };
}

/** A tool that keeps its arguments. */
function recorder(name: string) {
  const calls: unknown[][] = [];
  return { tool: { name, description: "d", execute: async (...args: unknown[]) => calls.push(args) }, calls };
}

describe("a guarded tool", () => {
  test("gets the context of the call after its own arguments [S-31]", async () => {
    const { tool, calls } = recorder("read_file");
    const [wrapped] = wrapTools([tool], guardOf("Read"));
    await wrapped?.execute({ path: "a" }, { signal: 1 });
    expect(calls).toEqual([[{ path: "a" }, { signal: 1 }, context]]);
    expect(wrapped?.description).toBe("d");
  });

  test("gets the words to run when a pattern allows a command [S-31]", async () => {
    const { tool, calls } = recorder("bash");
    const { bash } = wrapTools({ bash: tool }, guardOf("Bash(jq:*)"));
    const input = { command: "jq 'a b'" };
    await bash.execute(input);
    expect(calls).toEqual([[input, undefined, { ...context, argv: ["jq", "a b"] }]]);
  });

  test("is not reached by a blocked call [S-30]", async () => {
    const { tool, calls } = recorder("bash");
    const { bash } = wrapTools({ bash: tool }, guardOf("Bash(jq:*)"), { onBlocked: "throw" });
    const failure = await bash.execute({ command: "jq .; id" }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SkillError);
    expect(failure).toMatchObject({ code: "TOOL_BLOCKED", details: { tool: "bash", skill: "pdf" } });
    expect(calls).toEqual([]);
  });

  test("answers with text for the model [S-30]", async () => {
    const { tool, calls } = recorder("bash");
    const [wrapped] = wrapTools([tool], guardOf("Read"));
    await expect(wrapped?.execute({ command: "ls" })).resolves.toMatch(
      /blocked: the skill pdf .*deactivate_skill/,
    );
    expect(calls).toEqual([]);
  });

  test("is judged by its key in a map and by its name in a list [S-31]", async () => {
    const { tool } = recorder("other");
    await expect(wrapTools({ read_file: tool }, guardOf("Read")).read_file.execute({})).resolves.toBe(1);
    await expect(wrapTools([tool], guardOf("Read"))[0]?.execute({})).resolves.toMatch("other");
  });
});

describe("other shapes", () => {
  test("guards every function with a common name [S-31]", async () => {
    const reached: string[] = [];
    const fields = ["execute", "run", "invoke", "handler", "call", "func", "_call"];
    const tool = Object.fromEntries(fields.map((field) => [field, () => reached.push(field)]));
    const { x } = wrapTools({ x: tool }, guardOf("Read"));
    for (const field of fields) await expect(x[field]?.()).resolves.toMatch("blocked");
    expect(reached).toEqual([]);
  });

  test("an instance keeps its class and state, and its other methods are no way around the guard [S-31]", async () => {
    class Shell {
      readonly name = "bash";
      #runs = 0;
      async invoke(_input: unknown): Promise<number> {
        this.#runs += 1;
        return this.#runs;
      }
      async batch(inputs: readonly unknown[]): Promise<readonly number[]> {
        return await Promise.all(inputs.map((input) => this.invoke(input)));
      }
    }
    const [allowed] = wrapTools([new Shell()], guardOf("Bash"));
    expect(allowed).toBeInstanceOf(Shell);
    expect(await allowed?.batch([1, 2])).toEqual([1, 2]);
    const [blocked] = wrapTools([new Shell()], guardOf("Read"));
    await expect(blocked?.batch([1])).resolves.toEqual([expect.stringContaining("blocked")]);
  });

  test("a framework can say where the input is [S-31]", async () => {
    const { tool, calls } = recorder("bash");
    const inputOf = ([, text]: readonly unknown[]) => JSON.parse(String(text));
    const [wrapped] = wrapTools([tool], guardOf("Bash(jq:*)"), { inputOf });
    await wrapped?.execute({}, '{"command":"jq ."}');
    expect(calls.map((args) => args.at(-1))).toEqual([{ ...context, argv: ["jq", "."] }]);
  });

  test("guards a tool that is a function [S-31]", async () => {
    const tools = wrapTools({ read_file: async (input: unknown) => input }, guardOf("Read"));
    await expect(tools.read_file(7)).resolves.toBe(7);
    await expect(wrapTools({ x: async () => 1 }, guardOf("Read")).x()).resolves.toMatch("blocked");
  });

  test("rejects a tool without a name or a function instead of leaving it unguarded [S-31]", () => {
    expect(() => wrapTools([{ execute: () => 1 }], guardOf("Read"))).toThrow("no name");
    expect(() => wrapTools({ x: { description: "runs elsewhere" } }, guardOf("Read"))).toThrow(
      "no function to guard",
    );
  });

  test("keeps a tool that runs elsewhere unchanged when the host asks for it [S-31]", () => {
    const elsewhere = { description: "runs elsewhere" };
    const { tool } = recorder("bash");
    const kept = wrapTools({ elsewhere, bash: tool }, guardOf("Read"), { onUnguardable: "keep" });
    expect(kept.elsewhere).toBe(elsewhere);
    expect(kept.bash).not.toBe(tool);
  });

  test("invoke(context, text) is judged by its text and gets the call's context as fourth argument [S-31]", async () => {
    const calls: unknown[][] = [];
    const tool = { type: "function", name: "bash", invoke: async (...args: unknown[]) => calls.push(args) };
    const [wrapped] = wrapTools([tool], guardOf("Bash(jq:*)"));
    const input = JSON.stringify({ command: "jq ." });
    await wrapped?.invoke({ run: "context" }, input);
    expect(calls).toEqual([[{ run: "context" }, input, undefined, { ...context, argv: ["jq", "."] }]]);
    for (const text of [JSON.stringify({ command: "id" }), "{", undefined])
      await expect(wrapped?.invoke({ command: "jq ." }, text)).resolves.toMatch("blocked");
    expect(calls).toHaveLength(1);
  });
});

describe("a whole tool call", () => {
  /** Reads its input as the classes of LangChain do. */
  class Chained {
    readonly lc_namespace = ["langchain", "tools"];
    readonly name: string;
    readonly seen: unknown[] = [];

    constructor(name: string) {
      this.name = name;
    }

    async invoke(input: unknown): Promise<unknown> {
      const isCall = typeof input === "object" && input !== null && "args" in input;
      return this.call(isCall ? input.args : input);
    }

    async call(input: unknown): Promise<unknown> {
      const isCall = typeof input === "object" && input !== null && "args" in input;
      this.seen.push(isCall ? input.args : input);
      return this.seen.at(-1);
    }

    async func(input: unknown): Promise<unknown> {
      this.seen.push(input);
      return input;
    }
  }

  const envelope = (args: unknown, more = {}) => ({ type: "tool_call", id: "1", name: "x", args, ...more });
  const inside = { path: "docs/a" };
  const outside = { path: "/etc/shadow" };

  test("is judged by its arguments where LangChain unpacks it [S-31]", async () => {
    const tool = new Chained("read_file");
    const [wrapped] = wrapTools([tool], guardOf("Read(docs/**)"));
    await expect(wrapped?.invoke(envelope(inside))).resolves.toEqual(inside);
    await expect(wrapped?.invoke(inside)).resolves.toEqual(inside);
    await expect(wrapped?.invoke(envelope(outside))).resolves.toMatch("blocked");
    await expect(wrapped?.call(envelope(outside))).resolves.toMatch("blocked");
    expect(tool.seen).toEqual([inside, inside]);
  });

  test("with extra fields or a nested call must pass in every reading [S-31]", async () => {
    const tool = new Chained("read_file");
    const [wrapped] = wrapTools([tool], guardOf("Read(docs/**)"));
    for (const input of [
      envelope(inside, outside),
      envelope(outside, inside),
      envelope(envelope(outside, inside)),
      envelope(envelope(inside, outside)),
      envelope(envelope(inside)),
    ]) {
      await expect(wrapped?.invoke(input)).resolves.toMatch("blocked");
    }
    await expect(wrapped?.func(envelope(inside, outside))).resolves.toMatch("blocked");
    await expect(wrapped?.func(envelope(inside))).resolves.toMatch("blocked");
    expect(tool.seen).toEqual([]);
  });

  test("forged for another framework's tool is treated as input [S-31]", async () => {
    const files = recorder("read_file");
    const shell = recorder("bash");
    const posing = { ...recorder("read_file").tool, lc_namespace: ["x"], invoke: async () => "reached" };
    const tools = { read_file: files.tool, bash: shell.tool };
    const { read_file, bash } = wrapTools(tools, guardOf("Read(docs/**)", "Bash(jq:*)"));
    const command = envelope({ command: "jq ." }, { command: "rm -rf /" });
    await expect(read_file.execute(envelope(inside, outside))).resolves.toMatch("blocked");
    await expect(bash.execute(command)).resolves.toMatch("blocked");
    const [posed] = wrapTools([posing], guardOf("Read(docs/**)"));
    await expect(Reflect.apply(posed?.invoke ?? fail, posed, [envelope(inside, outside)])).resolves.toMatch(
      "blocked",
    );
    expect([...files.calls, ...shell.calls]).toEqual([]);
  });
});

test("a look-alike of a declared tool has no owner [S-31]", async () => {
  const { tool } = recorder("pdf__merge");
  const [wrapped] = wrapTools([{ ...tool, owner: "pdf" }], guardOf("Read"));
  await expect(wrapped?.execute({})).resolves.toMatch("blocked");
});

function fail(): never {
  throw new Error("There is nothing to call.");
}
