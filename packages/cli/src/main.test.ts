import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SkillError } from "@skillhold/protocol/error";
import { afterAll, describe, expect, expectTypeOf, test } from "vitest";
import { type CommandModule, type CommandRow, defineCommand, type OptionSpec, sections } from "./command.ts";
import { commandTable } from "./command-table.ts";
import { fakeHost } from "./fake-host.ts";
import { main } from "./main.ts";
import { formatOverview } from "./overview.ts";
import { printData } from "./terminal/output.ts";

const folder = mkdtempSync(join(tmpdir(), "skillhold-main-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("a command", () => {
  test("gets its arguments, options with defaults, and io [S-60]", async () => {
    const { code, out } = await runMain(["greet", "a", "b", "--shout"], async ({ args, options, io }) => {
      io.out(JSON.stringify({ args, options, json: io.json }));
      return 0;
    });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({
      args: ["a", "b"],
      options: { tone: "warm", shout: true },
      json: false,
    });
  });

  test("gets the default of an omitted argument [S-60]", async () => {
    const { out } = await runMain(["greet"], async ({ args, io }) => {
      io.out(args.join());
      return 0;
    });
    expect(out).toBe("world");
  });

  test("treats words after -- as arguments [S-60]", async () => {
    const { out } = await runMain(["greet", "--", "--json"], async ({ args, io }) => {
      io.out(`${args.join()} ${io.json}`);
      return 0;
    });
    expect(out).toBe("--json false");
  });

  test.each([[["--json", "greet"]], [["greet", "--json"]]])(
    "prints the envelope for %j [S-60]",
    async (argv) => {
      const { out } = await runMain(argv, async ({ io }) => {
        printData(io, { greeting: "hello" });
        return 0;
      });
      expect(out).toBe('{"ok":true,"data":{"greeting":"hello"}}\n');
    },
  );

  test("resolves relative paths from the folder of -C [S-60]", async () => {
    const { out } = await runMain(["greet", "-C", folder], async ({ io }) => {
      io.out(io.cwd);
      return 0;
    });
    expect(out).toBe(folder);
  });

  test("in a group gets its arguments, its options and the folder of -C [S-60]", async () => {
    const { code, out } = await runMain(["tree", "plant", "-C", folder, "--deep", "oak"], async (input) => {
      input.io.out(JSON.stringify([input.args, input.options, input.io.cwd]));
      return 0;
    });
    expect({ code, out: JSON.parse(out) }).toEqual({ code: 0, out: [["oak"], { deep: true }, folder] });
  });

  test("sets the exit code [S-60]", async () => {
    expect(await runMain(["greet"], async () => 3)).toEqual({ code: 3, out: "", err: "" });
  });
});

describe("a failure", () => {
  const missing: CommandModule["run"] = async () => {
    throw new SkillError("SKILL_NOT_FOUND", "no skill in \u001b[2Jhere", { hint: "Look there." });
  };

  test("is printed on stderr without control characters, with the exit code of the table [S-60]", async () => {
    expect(await runMain(["greet"], missing)).toEqual({
      code: 5,
      out: "",
      err: "error: no skill in \\u001b[2Jhere\nhint: Look there.\n",
    });
  });

  test("is the envelope on stdout with --json [S-60]", async () => {
    const { code, out, err } = await runMain(["greet", "--json"], missing);
    expect({ code, err }).toEqual({ code: 5, err: "" });
    expect(JSON.parse(out)).toEqual({
      ok: false,
      error: { code: "SKILL_NOT_FOUND", message: "no skill in \u001b[2Jhere", hint: "Look there." },
    });
  });

  test("without a code is INTERNAL with exit 1 [S-60]", async () => {
    const { code, out } = await runMain(["greet", "--json"], async () => {
      throw new Error("boom");
    });
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ ok: false, error: { code: "INTERNAL", message: "boom" } });
  });

  test("of -C names the folder and exits 5 [S-60]", async () => {
    const { code, err } = await runMain(["-C", join(folder, "none"), "greet"], async () => 0);
    expect(code).toBe(5);
    expect(err).toContain(`${join(folder, "none")} is not a folder`);
  });

  test("by interrupt aborts the signal and exits 130 [S-60]", async () => {
    const { code, err } = await runMain(["greet"], async ({ io }, emit) => {
      emit("SIGINT");
      expect(io.signal.aborted).toBe(true);
      return 0;
    });
    expect({ code, err }).toMatchObject({ code: 130, err: expect.stringContaining("error: interrupted") });
  });

  test("outside the awaited work is INTERNAL, too [S-60]", async () => {
    const { code, err } = await runMain(["greet"], async (_, emit) => {
      emit("uncaughtException", new Error("lost"));
      return await new Promise<never>(() => {});
    });
    expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining("error: lost") });
  });
});

describe("misuse exits 2", () => {
  test.each([
    [["gret"], "unknown command 'gret'", "Did you mean greet?"],
    [["greet", "--shuot"], "unknown option '--shuot'", "Did you mean --shout?"],
    [["greet", "--jsn"], "unknown option '--jsn'", "Did you mean --json?"],
    [["greet", "--tone", "rude"], "'rude' is invalid. Allowed choices are warm, cold.", "--help"],
    [["greet", "--tone", "wram"], "'wram' is invalid. Allowed choices are", "Did you mean warm?"],
    [["greet", "--tone"], "argument missing", "--help"],
    [["greet", "-x"], "unknown option '-x'", "after `--`"],
    [["only"], "missing required argument 'path'", "--help"],
    [["only", "a", "b"], "too many arguments", "--help"],
    [["--json"], "No command was given.", "--help"],
    [["tree", "lst"], "unknown command 'lst'", "Did you mean list?"],
    [["forest", "planr"], "too many arguments", "Did you mean plant?"],
    [["tree", "plant"], "missing required argument 'kind'", "--help"],
  ])(
    "and %j says what is wrong and suggests the nearest option, as text and as JSON [S-60]",
    async (argv, message, hint) => {
      const json = await runMain([...argv.slice(0, 1), "--json", ...argv.slice(1)], async () => 0);
      expect({ code: json.code, err: json.err }).toEqual({ code: 2, err: "" });
      expect(JSON.parse(json.out)).toEqual({
        ok: false,
        error: {
          code: "USAGE",
          message: expect.stringContaining(message),
          hint: expect.stringContaining(hint),
        },
      });
      if (argv[0] === "--json") return;
      const text = await runMain(argv, async () => 0);
      expect(text).toMatchObject({ code: 2, out: "", err: expect.stringContaining(`${message}`) });
      expect(text.err).toMatch(/^error: .*\nhint: .*\n$/);
    },
  );

  test("and without arguments prints the help on stderr [S-60]", async () => {
    const { code, out, err } = await runMain([], async () => 0);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain("Usage: skillhold");
  });
});

describe("help", () => {
  test("lists options, commands and examples and loads no command [S-60]", async () => {
    const { host, texts } = fakeHost(folder);
    const load = () => Promise.reject(new Error("loaded"));
    const table = makeTable(async () => 0).map((spec) => ({ ...spec, load }));
    expect(await main(["--help"], host, table)).toBe(0);
    expect(texts().out).toContain("  -C, --cwd <folder>  resolve relative paths");
    expect(texts().out).toContain("  greet               say hello");
    expect(texts().out).toContain("Find:\n");
  });

  test.each([[["-h"]], [["help"]], [["--json", "--help"]]])("is the same for %j [S-60]", async (argv) => {
    const expected = await runMain(["--help"], async () => 0);
    expect(await runMain(argv, async () => 0)).toEqual(expected);
  });

  test("of a command shows its own and the global options [S-60]", async () => {
    const expected = await runMain(["help", "greet"], async () => 0);
    for (const part of ["names to greet", "--tone", "--json", "$ skillhold greet ada"]) {
      expect(expected.out).toContain(part);
    }
    expect(await runMain(["greet", "--help"], async () => 0)).toEqual(expected);
  });

  test("of a group lists its commands, with or without --help [S-60]", async () => {
    const expected = await runMain(["tree", "--help"], async () => 0);
    expect(expected.out).toContain("Usage: skillhold tree <command>\n\nCommands:\n");
    expect(expected.out).toContain("  tree plant  plant a tree\n");
    expect(expected.out).toMatch(/ {2}tree list {3}count trees$/m);
    expect(await runMain(["help", "tree"], async () => 0)).toEqual(expected);
    expect(await runMain(["tree"], async () => 0)).toEqual({ code: 2, out: "", err: expected.out });
    const command = await runMain(["tree", "plant", "--help"], async () => 0);
    expect(command.out).toContain("Usage: skillhold tree plant [options] <kind>");
  });

  test("groups the commands by section [S-60]", () => {
    const titles = formatOverview(commandTable).match(/^[A-Z][a-z]+(?=:$)/gm);
    expect(titles).toEqual([...sections, "Options", "Examples"]);
  });

  test("types the options of a command by its option list [S-60]", () => {
    const options = [
      { flags: "--tone <tone>", summary: "x", choices: ["warm", "cold"], default: "warm" },
      { flags: "--no-echo", summary: "x" },
      { flags: "--to-name <name>", summary: "x", repeats: true },
    ] as const satisfies readonly OptionSpec[];
    defineCommand({
      arguments: [],
      options,
      examples: [],
      run: async ({ options: { tone, echo, toName, ...rest } }) => {
        expectTypeOf(tone).toEqualTypeOf<"warm" | "cold">();
        expectTypeOf(echo).toEqualTypeOf<boolean | undefined>();
        expectTypeOf(toName).toEqualTypeOf<readonly string[] | undefined>();
        // @ts-expect-error: the command has no option --volume.
        expect(rest.volume).toBeUndefined();
        return 0;
      },
    });
  });

  test("fits eighty columns [S-60]", () => {
    const long = formatOverview(commandTable)
      .split("\n")
      .filter((line) => line.length > 80);
    expect(long).toEqual([]);
  });
});

type Input = Parameters<CommandModule["run"]>[0];
type Emit = ReturnType<typeof fakeHost>["emit"];

async function runMain(
  argv: readonly string[],
  run: (input: Input, emit: Emit) => ReturnType<CommandModule["run"]>,
) {
  const { host, texts, emit } = fakeHost(folder);
  const code = await main(
    argv,
    host,
    makeTable((input) => run(input, emit)),
  );
  return { code, ...texts() };
}

function makeTable(run: CommandModule["run"]): readonly CommandRow[] {
  const row = (name: string, summary: string, module: Partial<CommandModule> = {}): CommandRow => ({
    name,
    section: "Find",
    summary,
    load: async () => ({ command: { arguments: [], options: [], examples: [name], run, ...module } }),
  });
  return [
    row("greet", "say hello", {
      arguments: [{ usage: "[names...]", summary: "names to greet", default: ["world"] }],
      options: [
        { flags: "--tone <tone>", summary: "how to say it", choices: ["warm", "cold"], default: "warm" },
        { flags: "--shout", summary: "say it loudly" },
      ],
      examples: ["greet ada"],
    }),
    row("only", "take one path", { arguments: [{ usage: "<path>", summary: "a path" }] }),
    row("tree plant", "plant a tree", {
      arguments: [{ usage: "<kind>", summary: "the kind" }],
      options: [{ flags: "--deep", summary: "dig" }],
      examples: ["tree plant oak"],
    }),
    row("forest", "look at all trees"),
    row("forest plant", "plant many trees"),
    row("tree list", "count trees"),
  ];
}
