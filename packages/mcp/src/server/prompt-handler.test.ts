import { describe, expect, test, vi } from "vitest";
import { connectOld, openSkills, skill } from "./server.fixture.ts";

const review = skill("review-pr", {
  yaml: "argument-hint: '[number]'\ndisable-model-invocation: true\n",
  body: "Review pull request $ARGUMENTS now.\n",
});
/** The declared argument names of a prompt. */
interface Declared {
  readonly all: readonly string[];
  readonly required: readonly string[];
}

const hidden = skill("helper", { yaml: "user-invocable: false\n" });

describe("the prompts", () => {
  test("are the user-invocable skills [S-27] [S-57]", async () => {
    const { client } = await connectOld(openSkills([review, hidden, skill("pdf")]).skills);
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(["use_skill", "pdf", "review-pr"]);
    expect(prompts[2]?.arguments).toEqual([{ name: "args", description: "[number]", required: false }]);
  });

  test("return the text of the slash command and are recorded as the user's [S-12] [S-57]", async () => {
    const { skills, events } = openSkills([review, hidden]);
    const { client } = await connectOld(skills);
    const get = () => client.getPrompt({ name: "review-pr", arguments: { args: "42" } });
    for (let time = 0; time < 2; time += 1)
      expect((await get()).messages).toEqual([
        {
          role: "user",
          content: { type: "text", text: expect.stringContaining("Review pull request 42 now.") },
        },
      ]);
    expect(events.at(-1)).toMatchObject({ type: "skill.activated", skill: "review-pr", invoker: "user" });
    const used = await client.getPrompt({ name: "use_skill", arguments: { skill: "review-pr", args: "7" } });
    expect(JSON.stringify(used.messages)).toContain("pull request 7");
  });

  test("get all words that a user types, in the form of each client [S-27] [S-57] [S-69]", async () => {
    const words = ["Ada", "King", "Lovelace"];
    for (const [name, send] of [
      // Claude Code gives each word to one argument, and Gemini gives all of them to the one that is required.
      ["claude-code", ({ all }: Declared) => Object.fromEntries(words.map((word, at) => [all[at], word]))],
      ["gemini-cli-mcp-client", ({ required }: Declared) => ({ [required[0] ?? ""]: words.join(" ") })],
      [
        "qwen-cli-mcp-client-skillhold",
        ({ required }: Declared) => ({ [required[0] ?? ""]: words.join(" ") }),
      ],
      ["another", ({ all }: Declared) => ({ [all[0] ?? ""]: words.join(" ") })],
    ] as const) {
      const { client } = await connectOld(openSkills([review]).skills, {}, name);
      const { prompts } = await client.listPrompts();
      const declared = (prompt: string) => {
        const list = prompts.find((each) => each.name === prompt)?.arguments ?? [];
        const required = list.filter((each) => each.required === true).map((each) => each.name);
        return { all: list.map((each) => each.name), required };
      };
      const command = { name: "review-pr", arguments: send(declared("review-pr")) };
      const text = async (request: typeof command) =>
        JSON.stringify((await client.getPrompt(request)).messages);
      expect(await text(command), name).toContain("Review pull request Ada King Lovelace now.");
      const bare = await client.getPrompt({ name: "review-pr" });
      expect(JSON.stringify(bare.messages), name).toContain("Review pull request");
      words.unshift("review-pr");
      const general = { name: "use_skill", arguments: send(declared("use_skill")) };
      words.shift();
      if (name !== "another")
        expect(await text(general), name).toContain("Review pull request Ada King Lovelace now.");
    }
  });

  test("reject skills that are not user-invocable or do not exist [S-27]", async () => {
    const { client } = await connectOld(openSkills([review, hidden]).skills);
    for (const name of ["helper", "nothing", "use_skill"])
      await expect(client.getPrompt({ name }), name).rejects.toMatchObject({ code: -32602 });
  });

  test("are listed in pages [S-57]", async () => {
    const names = Array.from({ length: 230 }, (_, at) => `s-${String(at).padStart(3, "0")}`);
    const { client } = await connectOld(openSkills(names.map((name) => skill(name))).skills);
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(["use_skill", ...names]);
  });
});

describe("completion", () => {
  test("completes skill ids and file paths [S-57]", async () => {
    const files = { "references/forms.md": "", "references/fonts.md": "" };
    const odd = skill("odd", { yaml: "metadata:\n  version: 1.0\n" });
    const { client } = await connectOld(
      openSkills([skill("pdf", { files }), skill("my-pdf"), review, odd]).skills,
    );
    const complete = async (ref: Parameters<typeof client.complete>[0]["ref"], name: string, value: string) =>
      (await client.complete({ ref, argument: { name, value } })).completion.values;
    const use = { type: "ref/prompt", name: "use_skill" } as const;
    const file = { type: "ref/resource", uri: "skill://{+path}" } as const;
    expect(await complete(use, "skill", "PD")).toEqual(["pdf", "my-pdf"]);
    expect(await complete(use, "skill", "")).toEqual(["my-pdf", "odd", "pdf", "review-pr"]);
    expect(await complete(use, "args", "x")).toEqual([]);
    expect(await complete(file, "path", "pd")).toEqual(["pdf/SKILL.md", "my-pdf/SKILL.md"]);
    expect(await complete(file, "path", "pdf/references/fo")).toEqual([
      "pdf/references/fonts.md",
      "pdf/references/forms.md",
    ]);
    expect(await complete(file, "path", "nothing/x")).toEqual([]);
    // It is no address that could be read.
    expect(await complete(use, "skill", "odd")).toEqual(["odd"]);
    expect(await complete(file, "path", "odd")).toEqual([]);
    await expect(complete({ type: "ref/prompt", name: "nothing" }, "args", "")).rejects.toMatchObject({
      code: -32602,
    });
    await expect(complete({ type: "ref/resource", uri: "x://{y}" }, "y", "")).rejects.toMatchObject({
      code: -32602,
    });
  });

  test("checks a limited number of skills, one at a time [S-57]", async () => {
    const names = Array.from({ length: 30 }, (_, at) => `s-${String(at).padStart(2, "0")}`);
    const { skills, library } = openSkills(names.map((name) => skill(name)));
    const { client } = await connectOld(skills);
    const read = library.read.bind(library);
    const underWay = { now: 0, most: 0, all: 0 };
    vi.spyOn(library, "read").mockImplementation(async (...args) => {
      underWay.all += 1;
      underWay.now += 1;
      underWay.most = Math.max(underWay.most, underWay.now);
      try {
        return await read(...args);
      } finally {
        underWay.now -= 1;
      }
    });
    const ref = { type: "ref/resource", uri: "skill://{+path}" } as const;
    const { completion } = await client.complete({ ref, argument: { name: "path", value: "s" } });
    expect(completion).toEqual({
      values: names.slice(0, 20).map((name) => `${name}/SKILL.md`),
      hasMore: true,
    });
    expect(underWay).toEqual({ now: 0, most: 1, all: 20 });
    const few = await client.complete({ ref, argument: { name: "path", value: "s-0" } });
    expect(few.completion).toMatchObject({ values: { length: 10 }, hasMore: false });
  });
});
