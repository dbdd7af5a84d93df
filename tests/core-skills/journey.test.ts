import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openLibrary } from "@skillhold/core/library";
import type { ScriptRun } from "@skillhold/core/run";
import { callSkillTool, openSession, type Session, skillTools, systemPorts } from "@skillhold/core/session";
import { nodeHost } from "@skillhold/core/source";
import { buildSkills, workspacePlaces } from "@skillhold/core-skills/build";
import type { SkillEvent } from "@skillhold/protocol";
import { systemRuns } from "@skillhold/sandbox/run";
import { afterAll, beforeAll, expect, test } from "vitest";

const skills = join(import.meta.dirname, "../../skills");
const folder = realpathSync(mkdtempSync(join(tmpdir(), "skillhold-journey-")));
const desk = join(folder, "desk");
const events: SkillEvent[] = [];
const asked: string[] = [];
let session: Session;
let close = async () => {};

/** The user's files are shown to runs at /mnt/desk, read-only; what runs make is kept below `outputs`. */
beforeAll(async () => {
  await buildSkills(workspacePlaces);
  mkdirSync(desk);
  makeDeskFiles();
  const library = await openLibrary({
    sources: [{ label: "core", kind: "builtin", trust: "builtin", root: skills }],
    host: nodeHost(process),
  });
  const runs = systemRuns({
    outputs: join(folder, "outputs"),
    grant: () => ({ mounts: [{ source: desk, target: "/mnt/desk", isWritable: false }] }),
    asker: {
      ask: async ({ skill, target, decision }) => {
        asked.push(`${skill} ${target}: ${decision.rule}`);
        return { answer: "approve", scope: "content", by: "ada" };
      },
    },
  });
  const ports = { ...systemPorts({ record: (event) => void events.push(event) }), runs };
  session = await openSession(library, { runtime: "journey", agent: "clerk" }, ports);
  close = async () => {
    await session.close();
    await library.close();
  };
});

afterAll(async () => {
  await close();
  rmSync(folder, { recursive: true, force: true });
});

test("the catalogue names the seven skills [S-40]", async () => {
  const { text } = await session.catalogue();
  for (const id of ["docx", "memory-curation", "pdf", "pptx", "skill-authoring", "skill-creator", "xlsx"])
    expect(text).toContain(id);
});

test("merges two PDF files [S-40]", async () => {
  const run = await work("merge two pdf files into one", "pdf", "merge", {
    args: ["merge", "/mnt/desk/one.pdf", "/mnt/desk/two.pdf", "--out", "all.pdf"],
  });
  const text = oracle("pdftotext", [outputOf(run, "all.pdf"), "-"]);
  expect(oracle("qpdf", ["--show-npages", outputOf(run, "all.pdf")]).trim()).toBe("2");
  expect(text.indexOf("First paper")).toBeLessThan(text.indexOf("Second paper"));
  oracle("qpdf", ["--check", outputOf(run, "all.pdf")]);
});

test("fills a Word template [S-40]", async () => {
  const run = await work("fill in a word template with values", "docx", "fill", {
    args: ["fill", "/mnt/desk/letter.docx", "--data", "-", "--out", "letter.docx"],
    stdin: '{"name":"Ada Lovelace","day":"Friday"}',
  });
  const xml = readEntry(outputOf(run, "letter.docx"), "word/document.xml");
  expect(xml.replace(/<[^>]+>/g, "")).toContain("Dear Ada Lovelace, see you on Friday.");
  expect(xml).not.toContain("{{");
});

test("adds a sheet to a workbook and keeps the others [S-40]", async () => {
  const steps = [{ op: "add-sheet", name: "Notes", columns: ["What"], rows: [["Checked"], ["=Plan!B4"]] }];
  const run = await work("add a sheet to an excel workbook", "xlsx", "edit", {
    args: ["edit", "/mnt/desk/plan.xlsx", "--steps", "-", "--out", "plan.xlsx"],
    stdin: JSON.stringify(steps),
  });
  const path = outputOf(run, "plan.xlsx");
  expect(readEntry(path, "xl/workbook.xml")).toMatch(/name="Plan".*name="Notes"/);
  expect(readEntry(path, "xl/worksheets/sheet1.xml")).toContain("<f>SUM(B2:B3)</f>");
  expect(readEntry(path, "xl/worksheets/sheet2.xml")).toMatch(/Checked.*<f>Plan!B4<\/f>/);
});

test("makes a deck of three slides from Markdown [S-40]", async () => {
  const run = await work("make a presentation with three slides", "pptx", "create", {
    args: ["create", "-", "--out", "deck.pptx"],
    stdin: "# Plan\n\n## Goals\n\n- Read\n- Write\n\n## Next\n\n- Ship\n",
  });
  const path = outputOf(run, "deck.pptx");
  const slides = [1, 2, 3].map((number) => readEntry(path, `ppt/slides/slide${number}.xml`));
  expect(slides.map((xml) => /<a:t>(Plan|Goals|Next)</.exec(xml)?.[1])).toEqual(["Plan", "Goals", "Next"]);
  expect(readEntry(path, "ppt/slides/slide4.xml")).toBe("");
});

test("reports a broken file with a code that the agent can act on [S-40]", async () => {
  writeFileSync(join(desk, "broken.xlsx"), "this is not a workbook");
  const run = await start("xlsx", { args: ["read", "/mnt/desk/broken.xlsx"] });
  expect(run).toMatchObject({ exitCode: 3, outcome: "exited", stdout: "" });
  expect(JSON.parse(run.stderr)).toMatchObject({ ok: false, error: { code: "NOT_AN_OFFICE_FILE" } });
});

test("records each run with its approval, hash and sandbox [S-40]", () => {
  const runs = events.filter((event) => event.type === "skill.script_executed");
  expect(runs.map(({ skill, exitCode }) => [skill, exitCode])).toEqual([
    ["pdf", 0],
    ["docx", 0],
    ["xlsx", 0],
    ["pptx", 0],
    ["xlsx", 3],
  ]);
  for (const { run, hash, sandbox } of runs) {
    expect(sandbox).toBe("bubblewrap");
    const about = events.filter((event) => "run" in event && event.run === run);
    expect(about.map(({ type }) => type)).toEqual(
      expect.arrayContaining(["run.requested", "run.approved", "skill.script_executed"]),
    );
    expect(about.every((event) => !("hash" in event) || event.hash === hash)).toBe(true);
  }
  // One question per content and shape of arguments: the second run of xlsx has other ones.
  expect(asked).toEqual(
    ["pdf", "docx", "xlsx", "pptx", "xlsx"].map((id) => `${id} scripts/${id}.mjs: mount`),
  );
});

interface ScriptCall {
  readonly args: readonly string[];
  readonly stdin?: string;
}

/** Does a task like an agent: searches for a skill, loads it, and calls the command that the instructions name. */
async function work(task: string, id: string, command: string, call: ScriptCall): Promise<ScriptRun> {
  const tools = skillTools(session);
  const found = await callSkillTool(tools, "search_skills", { query: task, limit: 1 });
  expect(found.text).toContain(id);
  const loaded = await callSkillTool(tools, "read_skill", { skill_id: id });
  expect(loaded.text).toContain(`scripts/${id}.mjs`);
  expect(loaded.text).toContain(`\`${command} `);
  const run = await start(id, call);
  expect(run, run.stderr).toMatchObject({ exitCode: 0, outcome: "exited", stderr: "" });
  expect(JSON.parse(run.stdout)).toMatchObject({ ok: true });
  return run;
}

async function start(id: string, call: ScriptCall): Promise<ScriptRun> {
  const input = { skill_id: id, script: `scripts/${id}.mjs`, ...call };
  const result = await callSkillTool(skillTools(session), "run_skill_script", input);
  if (!result.ok) throw new Error(result.text);
  // The data of run_skill_script is a run, by its signature.
  return result.data as ScriptRun;
}

function outputOf(run: ScriptRun, name: string): string {
  expect(run.files.map(({ path }) => path)).toEqual([name]);
  return join(run.outputs ?? "", name);
}

/** The files of the user. */
function makeDeskFiles(): void {
  script("pdf", ["create", "-", "--out", "one.pdf"], "# First paper\n\nText.\n");
  script("pdf", ["create", "-", "--out", "two.pdf"], "# Second paper\n\nText.\n");
  script("docx", ["create", "-", "--out", "letter.docx"], "Dear {{name}}, see you on {{day}}.\n");
  const rows = [
    ["Rent", 900],
    ["Food", 310],
    ["Sum", "=SUM(B2:B3)"],
  ];
  const spec = { sheets: [{ name: "Plan", columns: ["Item", "Amount"], rows }] };
  script("xlsx", ["create", "-", "--out", "plan.xlsx"], JSON.stringify(spec));
}

function script(id: string, args: readonly string[], input: string): void {
  const path = join(skills, id, "scripts", `${id}.mjs`);
  const { status, stderr } = spawnSync(process.execPath, [path, ...args], {
    cwd: desk,
    input,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
}

/** Runs another program over a file. */
function oracle(program: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, [...args], { encoding: "utf8" });
  if (status !== 0) throw new Error(`${program}: ${error?.message ?? stderr}`);
  return stdout;
}

/** The text of a part of an office file, by Python's ZIP reader; empty without such a part. */
function readEntry(path: string, name: string): string {
  const code =
    "import sys,zipfile; z=zipfile.ZipFile(sys.argv[1]); n=sys.argv[2]\n" +
    "sys.stdout.buffer.write(z.read(n) if n in z.namelist() else b'')";
  return oracle("python3", ["-c", code, path, name]);
}
