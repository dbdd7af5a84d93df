import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openMemoryLibrary } from "@skillhold/core/library";
import { nodeHost } from "@skillhold/core/source";
import { afterEach, expect, test } from "vitest";
import { BackgroundCheck, type CheckEvent } from "./background-check.ts";
import { checkPorts, installPorts, makeFolder, removeFolders } from "./environment.fixture.ts";
import { runEnvironment } from "./run-environment.ts";
import { installForSkill } from "./skill-install.ts";
import { prepareCheck, surveyDependencies } from "./survey.ts";
import { copySubject, folderSubject, withLibrarySubject } from "./survey-subject.ts";

afterEach(removeFolders);

const SKILL = "---\nname: demo\ndescription: A skill.\n---\nDo it.\n";
const FILES = {
  "SKILL.md": SKILL,
  "scripts/a.mjs": 'import here from "./here.mjs";\nimport zzz from "zzz-not-there";\n',
  "scripts/here.mjs": "export default 1;\n",
  "scripts/b.py": "import json\nimport helper\ntry:\n  import zzz_optional\nexcept ImportError:\n  pass\n",
  "scripts/helper.py": "",
};

/** A cache that counts its calls. */
function memoryCache() {
  const kept = new Map<string, Uint8Array>();
  return {
    kept,
    load: (key: string) => kept.get(key),
    save: (key: string, bytes: Uint8Array) => kept.set(key, bytes),
  };
}

test("scans and checks a folder in one call; without a home nothing can be installed [S-34] [S-35] [S-38]", async () => {
  const [survey] = await surveyDependencies(
    [await folderSubject(makeFolder(FILES), { id: "demo" })],
    checkPorts(),
  );
  expect(survey?.manifest.dependencies.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    "npm zzz-not-there",
    "pip zzz_optional",
    "runtime node",
    "runtime python3",
  ]);
  expect(survey?.checks.map(({ answer }) => answer)).toEqual(["missing", "missing", "ok", "ok"]);
  expect(survey).toMatchObject({
    id: "demo",
    state: {
      state: "missing",
      missing: ["npm:zzz-not-there"],
      warnings: [
        "Missing, and packages cannot be installed here: npm:zzz-not-there.",
        "Optional and missing: pip:zzz_optional.",
      ],
      isUnsupported: true,
    },
  });
});

test("does not scan or check a known content again [S-35]", async () => {
  const folder = makeFolder(FILES);
  const cache = memoryCache();
  const [first] = await surveyDependencies([await folderSubject(folder)], checkPorts({ cache }));
  const subject = await folderSubject(folder);
  const open = async () => {
    throw new Error("It was opened.");
  };
  const [again] = await surveyDependencies([{ ...subject, open }], checkPorts({ cache }));
  expect(again).toEqual(first);
  writeFileSync(join(folder, "scripts/a.mjs"), "");
  const [changed] = await surveyDependencies([await folderSubject(folder)], checkPorts({ cache }));
  expect(changed?.state.state).toBe("ok");
});

test("scans again when the cache entry is damaged [S-35]", async () => {
  const folder = makeFolder(FILES);
  const cache = memoryCache();
  const ports = checkPorts({ cache });
  const [first] = await surveyDependencies([await folderSubject(folder)], ports);
  for (const damage of ["", "{", "[]", '{"dependencies":1}']) {
    for (const key of cache.kept.keys()) cache.kept.set(key, Buffer.from(damage));
    expect((await surveyDependencies([await folderSubject(folder)], ports))[0]).toEqual(first);
  }
});

test("surveys more skills than one batch holds, each separately [S-35]", async () => {
  const folders = Array.from({ length: 120 }, (_, index) =>
    makeFolder({ "SKILL.md": SKILL, "a.py": `import ${index % 2 === 0 ? "json" : "zzz_absent"}` }),
  );
  const subjects = await Promise.all(
    folders.map((folder, index) => folderSubject(folder, { id: `s${index}` })),
  );
  const seen: number[] = [];
  const surveys = await surveyDependencies(subjects, checkPorts(), { onProgress: (done) => seen.push(done) });
  expect(surveys.map(({ id }) => id)).toEqual(subjects.map(({ id }) => id));
  expect(surveys.map(({ state }) => state.missing.length)).toEqual(folders.map((_, index) => index % 2));
  expect(seen.at(-1)).toBe(120);
});

test("reads a skill of a library through the disclosure gate, and removes the copy afterwards [S-34] [S-38]", async () => {
  const skill = { folder: "demo", files: { ...FILES, "scripts/b.py": "import zzz_absent\n" } };
  const library = openMemoryLibrary([skill], { host: nodeHost(process) });
  let root = "";
  const survey = await withLibrarySubject(library, { runtime: "test" }, "demo", async (subject) => {
    const [found] = await surveyDependencies([subject], checkPorts());
    root = (await subject.open()).root;
    return found;
  });
  expect(survey?.state.missing).toEqual(["npm:zzz-not-there", "pip:zzz_absent"]);
  expect(existsSync(root)).toBe(false);
  const hidden = withLibrarySubject(library, { runtime: "test", allow: [] }, "demo", async () => "seen");
  await expect(hidden).rejects.toMatchObject({ code: "SKILL_NOT_FOUND" });
  await library.close();
});

test("rejects a skill that changes during the survey [S-35]", async () => {
  const skill = { folder: "demo", files: FILES };
  const library = openMemoryLibrary([skill], { host: nodeHost(process) });
  const cache = memoryCache();
  const surveyed = withLibrarySubject(library, { runtime: "test" }, "demo", async (subject) => {
    library.replace([{ folder: "demo", files: { ...FILES, "scripts/b.py": "" } }]);
    return await surveyDependencies([subject], checkPorts({ cache }));
  });
  await expect(surveyed).rejects.toThrow("changed during the check");
  expect(cache.kept.size).toBe(0);
  await library.close();
});

test("background checks prepare skills the same way, and report the state [S-38] [S-39]", async () => {
  const subject = await folderSubject(makeFolder(FILES), { id: "demo" });
  const events: CheckEvent[] = [];
  const ports = {
    ...checkPorts(),
    onEvent: (event: CheckEvent) => void events.push(event),
    onProblem: () => {},
  };
  const background = new BackgroundCheck(ports);
  const prepare = async () => (await prepareCheck(subject, ports)).request;
  background.add([{ id: "demo", effect: { path: "upload" }, prepare }]);
  expect(events).toEqual([]);
  await background.idle();
  expect(events.map(({ type }) => type)).toEqual([
    "skill.deps.checking",
    "skill.deps.checked",
    "skill.deps.complete",
  ]);
  expect(events[1]).toMatchObject({ missing: ["npm:zzz-not-there"], state: { archived: "deps" } });
});

test("surveys and runs find installed packages until the skill's needs change [S-36] [S-38]", async () => {
  const ports = installPorts();
  const folder = makeFolder(FILES);
  const subject = await folderSubject(folder, { id: "demo" });
  const survey = async () => {
    const subjects = [await folderSubject(folder, { id: "demo" })];
    return (await surveyDependencies(subjects, { ...checkPorts(), home: ports.home }))[0];
  };
  const before = await survey();
  expect(before?.environment).toBeUndefined();
  expect(await runEnvironment(subject, ports)).toBeUndefined();
  const owner = { skill: "demo", needs: before?.manifest.dependencies ?? [] };
  const { environment } = await installForSkill({ owner, specs: before?.state.missing ?? [] }, ports);
  expect((await survey())?.state).toMatchObject({ state: "ok", missing: [] });
  expect((await survey())?.environment?.folder).toBe(environment);
  const copy = copySubject({ id: "demo", treeHash: "sha256:0" }, folder);
  expect((await runEnvironment(copy, ports))?.folder).toBe(environment);
  expect(await runEnvironment({ ...copy, id: "other" }, ports)).toMatchObject({ folder: environment });
  writeFileSync(join(folder, "scripts/more.mjs"), 'import "zzz-more"');
  expect((await survey())?.environment).toBeUndefined();
  rmSync(join(folder, "scripts/more.mjs"));
  expect((await survey())?.environment?.folder).toBe(environment);
});
