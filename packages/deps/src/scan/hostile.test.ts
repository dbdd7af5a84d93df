import { countTurns } from "@skillhold/core/test/loop-turn.fixture";
import fc from "fast-check";
import { expect, test } from "vitest";
import { LocalModules } from "./local-module.ts";
import { brief, scanTable } from "./scan.fixture.ts";
import { scanDependencies } from "./scan.ts";
import { parseSyntax } from "./syntax.ts";

const extensions = ["py", "js", "ts", "tsx", "sh", "ipynb"];
const names = ["SKILL.md", "requirements.txt", "pyproject.toml", "package.json", "run"];
const million = 1_000_000;
const many = 20_000;

const texts: readonly (readonly [about: string, text: string])[] = [
  ["thousands of opening brackets", "(".repeat(many)],
  ["thousands of opening braces", "{".repeat(many)],
  ["thousands of quotes", "'".repeat(many)],
  ["thousands of backticks", "`".repeat(many)],
  ["thousands of backslashes", "\\".repeat(many)],
  ["thousands of NULs", "\0".repeat(many)],
  ["thousands of dollars", "$(".repeat(many / 2)],
  ["brackets in thousands of levels", "[".repeat(many) + "]".repeat(many)],
  ["calls in thousands of levels", "require(".repeat(many) + ")".repeat(many)],
  ["functions in thousands of levels", "(function(require){".repeat(5000)],
  [
    "blocks by indentation",
    Array.from({ length: 300 }, (_, depth) => `${" ".repeat(depth)}if x:\n`).join(""),
  ],
  ["thousands of here-documents", "cat <<A\n".repeat(many)],
  ["a line of a million spaces", `import${" ".repeat(million - 7)}a`],
  ["imports without end", "import a\n".repeat(many / 4)],
  ["one import of many names", `import ${Array.from({ length: 4000 }, (_, index) => `a${index}`).join(",")}`],
  ["a chain of operators", "a+".repeat(many / 2)],
];

test.each(texts)("parses as any language without an error: %s [S-34]", async (_, text) => {
  for (const extension of extensions) {
    const manifest = await scanTable({ "0.py": "import requests", [`a.${extension}`]: text });
    expect(brief(manifest, ["pip"])).toMatch(/\bpip:requests\b/);
  }
});

test("survives a million opening brackets and a hundred thousand levels [S-34]", async () => {
  const nested = "[".repeat(100_000) + "]".repeat(100_000);
  const files = Object.fromEntries(
    ["py", "js", "sh"].flatMap((extension) => [
      [`a.${extension}`, `${"(".repeat(million - 10)}\nimport`],
      [`b.${extension}`, `${nested}\nrequire`],
    ]),
  );
  const manifest = await scanTable({ ...files, "c.py": "import requests" });
  expect(brief(manifest, ["pip"])).toMatch(/\bpip:requests\b/);
});

test("parses the same texts as manifests without an error [S-34]", async () => {
  for (const [, text] of texts)
    for (const name of names) await scanTable({ [name]: text, "b.py": "import requests" });
});

test("a file over the limit becomes a note [S-34]", async () => {
  const { dependencies, notes } = await scanTable({ "a.py": `import a\n${" ".repeat(million)}` });
  expect(dependencies).toEqual([]);
  expect(notes).toEqual([{ file: "a.py", message: "not read: larger than 1000000 bytes" }]);
});

test("files past the time limit become notes, and earlier results stay [S-34]", async () => {
  const slow = () => {
    // The limit is on processor time, so the parser must use some, however busy the machine is.
    const start = process.cpuUsage();
    while (process.cpuUsage(start).user < 20_000);
    return { project: { dependencies: ["requests"] } };
  };
  const files = ["a/pyproject.toml", "b/pyproject.toml", "c.py"].map((path) => ({
    path,
    bytes: Buffer.from("x = 1"),
  }));
  const { dependencies, notes } = await scanDependencies(files, { parseToml: slow, timeMs: 0 });
  expect(dependencies.map(({ name, seen }) => [name, seen])).toEqual([
    ["requests", [{ file: "a/pyproject.toml", line: 1 }]],
  ]);
  const message = "not read: other files took too long to parse";
  expect(notes.map(({ file }) => file)).toEqual(["b/pyproject.toml", "c.py"]);
  expect(new Set(notes.map((note) => note.message))).toEqual(new Set([message]));
});

test("does not block other work while it scans a bundle [S-34] [S-39]", async () => {
  const text = "x = {'a': [1, 2, (3, 4)]}\n".repeat(4000);
  const table = Object.fromEntries(
    Array.from({ length: 4 }, (_, file) => [`${file}.py`, `import a\n${text}`]),
  );
  // The first scan loads the parser.
  await scanTable({ "0.py": "import a" });
  expect(await countTurns(() => scanTable(table))).toBeGreaterThan(1);
});

test("stops parsing an endless text after a bounded number of steps [S-34]", async () => {
  const bytes = new Uint8Array(50_000).map((_, index) => (index * 7919) % 251);
  const manifest = await scanTable({
    "a.py": bytes,
    "a.js": bytes,
    "a.sh": bytes,
    "b.py": "import requests",
  });
  expect(brief(manifest, ["pip"])).toMatch(/\bpip:requests\b/);
});

test("replaces a parser that fails [S-34]", async () => {
  const breakDown = () => {
    throw Object.assign(new Error("unreachable"), { name: "RuntimeError" });
  };
  expect(await parseSyntax("python", { find: ["import_statement"] }, "import a", breakDown)).toBe(false);
  expect(brief(await scanTable({ "b.py": "import requests", "b.js": "require('x')" }), ["pip", "npm"])).toBe(
    "npm:x pip:requests",
  );
});

test("does not hide an error that is not the parser's [S-34]", async () => {
  const fail = () => {
    throw new TypeError("ours");
  };
  await expect(parseSyntax("python", { find: ["import_statement"] }, "import a", fail)).rejects.toThrow(
    "ours",
  );
});

test("invalid UTF-8 does not hide the code around it [S-34]", async () => {
  const bytes = new Uint8Array([
    ...Buffer.from("import a1\n#"),
    0xff,
    0xfe,
    0xc0,
    ...Buffer.from("\nimport a2\n"),
  ]);
  expect(brief(await scanTable({ "a.py": bytes }), ["pip"])).toBe("pip:a1 pip:a2");
});

test("limits the number of names [S-34]", async () => {
  const { dependencies, notes } = await scanTable({
    "a.py": `import ${Array.from({ length: 3000 }, (_, index) => `a${index}`).join(",")}`,
  });
  expect(dependencies).toHaveLength(2000);
  expect(notes).toHaveLength(1);
});

const fragment = fc.oneof(
  fc.constantFrom(
    "import ",
    "from ",
    "require(",
    "'a'",
    '"b"',
    "`",
    "try:\n",
    "except ImportError:\n",
    "  ",
    "\n",
  ),
  fc.constantFrom(
    "export * ",
    "{",
    "}",
    "(",
    ")",
    "$(",
    "<<EOF\n",
    "EOF\n",
    "#!",
    "# /// script\n",
    "# ///\n",
    "deps: ",
  ),
  fc.constantFrom(
    "---\n",
    "-r ",
    ";",
    "[",
    "]",
    "\\",
    "\0",
    "\uFEFF",
    "é",
    "\uD800",
    "command -v ",
    "sudo ",
    "npm:",
  ),
  fc.string({ maxLength: 8, unit: "binary" }),
);

test("never throws, and every name can be installed [S-34]", async () => {
  const path = fc.constantFrom(...names, ...extensions.map((extension) => `scripts/a.${extension}`));
  const files = fc.dictionary(
    path,
    fc.array(fragment, { maxLength: 40 }).map((parts) => parts.join("")),
  );
  await fc.assert(
    fc.asyncProperty(files, async (table) => {
      for (const { name, seen } of (await scanTable(table)).dependencies) {
        expect(name).toMatch(/^(?:@[\w.~-]+\/)?[\w~][\w.~+-]*$/);
        expect(seen.length).toBeGreaterThan(0);
      }
    }),
    { numRuns: 400 },
  );
});

test("scans arbitrary bytes without an error, and the same in any file order [S-34]", async () => {
  const bytes = fc.uint8Array({ maxLength: 400 });
  await fc.assert(
    fc.asyncProperty(bytes, fc.constantFrom(...names, "a.py", "a.ts", "a.sh"), async (content, path) => {
      const files = [
        { path, bytes: content },
        { path: "z.py", bytes: Buffer.from("import requests") },
      ];
      const forward = await scanDependencies(files);
      expect(await scanDependencies(files.toReversed())).toEqual(forward);
    }),
    { numRuns: 200 },
  );
});

test("finds a module among many with the same name [S-34]", () => {
  const paths = Array.from({ length: 5000 }, (_, index) => `f${index}/docx/edit.py`);
  const modules = new LocalModules([...paths, "scripts/docx/make.py"]);
  expect(modules.has("scripts/run.py", { module: "docx.make", names: [] })).toBe(true);
  expect(modules.has("scripts/run.py", { module: "docx.shared", names: [] })).toBe(false);
});
