import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { commandTable } from "@skillhold/cli/test/command-table";
import { parseCommandLine } from "@skillhold/cli/test/program";
import { profiles, type RuleCode, ruleTable, severityOf } from "@skillhold/skill";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "..");
const documents = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"], {
  cwd: root,
})
  .toString()
  .split("\n")
  .filter((file) => file !== "");

test("the guide lists every rule as the table has it (`npm test -- -u` rewrites it) [S-4]", async () => {
  // The keys of the table are the codes.
  const codes = Object.keys(ruleTable) as RuleCode[];
  const rows = codes.map(
    (code) =>
      `| \`${code}\` | ${profiles.map((profile) => severityOf(code, profile) ?? "–").join(" | ")} | ${ruleTable[code].fix} |`,
  );
  const head = `| code | ${profiles.join(" | ")} | what to do |\n|---|${"---|".repeat(profiles.length + 1)}`;
  await expect(`# Rules\n\n${head}\n${rows.join("\n")}\n`).toMatchFileSnapshot("../docs/guide/rules.md");
});

test("every link between the documents leads somewhere", () => {
  for (const document of documents) {
    // What stands in code is an example, not a link.
    const text = readFileSync(join(root, document), "utf8").replace(/```[\s\S]*?```|`[^`\n]*`/g, "");
    for (const [, target = ""] of text.matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)) {
      expect([document, target, existsSync(join(root, dirname(document), target))]).toEqual([
        document,
        target,
        true,
      ]);
    }
  }
});

test("every command in the documents is one that the command line takes [S-60]", async () => {
  const io = { out: () => {}, err: () => {}, color: false, errColor: false, json: false };
  const lines = documents.flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(/```(?:console|sh)\n(.*?)```/gs)]
      .flatMap(([, block = ""]) => block.split("\n"))
      .flatMap((line) => /^(?:\$ )?(?:.*\()?(?:npx )?skillhold (.*)$/.exec(line)?.[1] ?? [])
      .map((words) => ({ file, words: words.replace(/ +#.*$|\)$/, "") })),
  );
  expect(lines.length).toBeGreaterThan(50);
  for (const { file, words } of lines) {
    const argv = [...words.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
      ([, double, single, plain]) => double ?? single ?? plain ?? "",
    );
    const parsed = parseCommandLine(argv, commandTable, { io, version: "1" });
    await expect(parsed, `${file}: ${words}`).resolves.not.toBe(2);
  }
});

test("every example in the documents compiles and runs", () => {
  const folder = mkdtempSync(join(root, "tests/.examples-"));
  try {
    mkdirSync(join(folder, "skills/pdf"), { recursive: true });
    mkdirSync(join(folder, "more-skills"));
    writeFileSync(
      join(folder, "skills/pdf/SKILL.md"),
      "---\nname: pdf\ndescription: Reads PDF files.\n---\n# Steps\n",
    );
    const examples = documents.flatMap((file) =>
      [...readFileSync(join(root, file), "utf8").matchAll(/```ts\n(.*?)```/gs)].map(([, code = ""]) => code),
    );
    expect(examples.length).toBeGreaterThan(0);
    for (const [index, code] of examples.entries())
      writeFileSync(join(folder, `example-${index}.ts`), `${code}\nexport {};\n`);
    // An example names what it makes so that it can be read; it need not use it.
    const options = {
      extends: "../../tsconfig.json",
      compilerOptions: { noUnusedLocals: false },
      include: ["*.ts"],
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(options));
    execFileSync("npx", ["tsc", "--noEmit", "-p", folder], { cwd: root, stdio: "pipe" });
    const env = { ...process.env, NODE_COMPILE_CACHE: join(folder, "compiled") };
    for (const file of readdirSync(folder).filter((name) => name.startsWith("example-"))) {
      execFileSync(process.execPath, ["--conditions=@skillhold/source", file], {
        cwd: folder,
        env,
        stdio: "pipe",
      });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
