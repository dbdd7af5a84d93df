import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSkillhold, type Skillhold } from "@skillhold/host";
import { storeUrl } from "@skillhold/host/place";
import { openSignedStore, proposalStore } from "@skillhold/host/store";
import { SkillId } from "@skillhold/protocol";
import { defaultLimits } from "@skillhold/protocol/limits";
import { applyProposal, propose, reviewProposal } from "@skillhold/registry/proposal";
import { readBundle } from "@skillhold/registry/test/release/read-bundle";
import { afterEach, beforeEach, expect, test } from "vitest";

const admin = { user: "root", role: "admin" } as const;
let root: string;
let skills: string;
let env: Readonly<Record<string, string>>;
let warnings: string[];
let open: Skillhold[];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skillhold-governed-"));
  skills = join(root, "skills");
  env = { HOME: root, SKILLHOLD_DATA: join(root, "data"), PATH: process.env["PATH"] ?? "" };
  warnings = [];
  open = [];
  write("pdf", "one");
});
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
  rmSync(root, { recursive: true, force: true });
});

function write(id: string, word: string, folder = id): void {
  mkdirSync(join(skills, folder), { recursive: true });
  writeFileSync(
    join(skills, folder, "SKILL.md"),
    `---\nname: ${id}\ndescription: Does ${id}.\n---\n${word}\n`,
  );
}

async function start(watch = false): Promise<Skillhold> {
  const options = { runtime: "test", roots: [skills], governed: true, watch, env, cwd: root, mcp: false };
  const opened = await openSkillhold({ ...options, onWarning: (text) => void warnings.push(text) });
  open.push(opened);
  return opened;
}

async function stop(opened: Skillhold): Promise<void> {
  open.splice(open.indexOf(opened), 1);
  await opened.close();
}

const machine = () => ({ env, cwd: root, warn: () => {} });
const url = () => storeUrl(undefined, machine());

async function proposals() {
  const store = await openSignedStore(url(), machine());
  try {
    return await store.listProposals({ limit: 100 });
  } finally {
    await store.close();
  }
}

const states = async () => (await proposals()).map(({ state }) => state);

async function decide(decision: "approve" | "reject", id?: string): Promise<void> {
  const found = (await proposals()).find((each) => each.state === "pending" && (id ?? each.id) === each.id);
  if (found === undefined) throw new Error("No proposal waits.");
  await proposalStore(url(), machine(), defaultLimits, async (context) => {
    await reviewProposal(found.id, { by: admin, decision, comment: "Seen." }, context);
    if (decision === "approve") await applyProposal(found.id, admin, context);
  });
}

const textOf = async (opened: Skillhold, id = "pdf") =>
  (await opened.library.read(opened.viewer, id)).body.trim();
const idsOf = async (opened: Skillhold) => (await opened.list()).map(({ id }) => id).toSorted();

test("serves the approved content of a governed folder until an edit is approved, also after a restart [S-49]", async () => {
  const first = await start();
  expect(await textOf(first)).toBe("one");
  expect(await proposals()).toEqual([]);
  write("pdf", "two");
  expect(await textOf(first)).toBe("one");
  await stop(first);
  const second = await start();
  expect(await textOf(second)).toBe("one");
  expect(await proposals()).toMatchObject([{ origin: "outside", state: "pending", skill: "pdf" }]);
  await stop(second);
  const third = await start();
  expect(await states()).toEqual(["pending"]);
  await decide("approve");
  await stop(third);
  const last = await start();
  expect(await textOf(last)).toBe("two");
  expect(await states()).toEqual(["applied"]);
});

test("proposes an edit while it watches, and serves it after the approval [S-49]", async () => {
  const opened = await start(true);
  write("pdf", "two");
  await expect.poll(states).toEqual(["pending"]);
  expect(await textOf(opened)).toBe("one");
  await decide("approve");
  await expect.poll(() => textOf(opened)).toBe("two");
  write("pdf", "three");
  await expect.poll(states).toEqual(["pending", "applied"]);
  write("pdf", "two");
  await expect.poll(states).toEqual(["withdrawn", "applied"]);
});

test("replaces the proposal of an earlier edit, and repeats no rejected one [S-49]", async () => {
  await stop(await start());
  write("pdf", "two");
  await stop(await start());
  write("pdf", "three");
  await stop(await start());
  expect(await states()).toEqual(["pending", "withdrawn"]);
  await decide("reject");
  const opened = await start();
  expect(await states()).toEqual(["rejected", "withdrawn"]);
  expect(await textOf(opened)).toBe("one");
});

test("a half-written edit is not proposed and changes nothing [S-49]", async () => {
  await stop(await start());
  writeFileSync(join(skills, "pdf", "SKILL.md"), "---\nname: pdf\ndescr");
  const opened = await start();
  expect(await textOf(opened)).toBe("one");
  expect(await proposals()).toEqual([]);
  expect(warnings.join("\n")).toContain("pdf");
});

test("a removed folder stays served, and its open proposal is withdrawn [S-49]", async () => {
  await stop(await start());
  write("pdf", "two");
  await stop(await start());
  rmSync(join(skills, "pdf"), { recursive: true });
  const opened = await start();
  expect(await textOf(opened)).toBe("one");
  expect(await states()).toEqual(["withdrawn"]);
  expect(warnings.join("\n")).toContain("removed outside review");
});

test("a renamed folder is a new skill that needs a review [S-49]", async () => {
  await stop(await start());
  renameSync(join(skills, "pdf"), join(skills, "print"));
  write("print", "one");
  const renamed = await start();
  expect(await idsOf(renamed)).toEqual(["pdf"]);
  expect(await proposals()).toMatchObject([{ skill: "print", state: "pending" }]);
  await stop(renamed);
  await decide("approve");
  const after = await start();
  expect(await idsOf(after)).toEqual(["pdf", "print"]);
  expect(await textOf(after, "print")).toBe("one");
});

test("a folder behind an applied proposal is not an edit [S-49]", async () => {
  const first = await start();
  const { folder, files } = await first.library.read(first.viewer, "pdf");
  expect(files).toHaveLength(1);
  await stop(first);
  await proposalStore(url(), machine(), defaultLimits, async (context) => {
    const { files: base } = await readBundle(folder ?? "", {}, defaultLimits);
    const subject = {
      kind: "folder",
      skill: SkillId.parse("pdf"),
      folder: folder ?? "",
      files: base,
    } as const;
    const change = { edits: [{ old: "one", new: "better" }] };
    const author = { user: "ann", role: "agent" } as const;
    await propose({ author, origin: "session", justification: "Better.", subject, change }, context);
  });
  await decide("approve");
  const second = await start();
  expect(await textOf(second)).toBe("better");
  expect(await states()).toEqual(["applied"]);
});

test("governed folders need a store [S-49]", async () => {
  const options = { runtime: "test", roots: [skills], governed: true, store: false, env, cwd: root } as const;
  await expect(openSkillhold(options)).rejects.toMatchObject({ code: "USAGE" });
});
