import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { afterAll, expect, test } from "vitest";
import { inspectPackage } from "../shared/office-oracle.fixture.ts";
import { callProgram } from "../shared/program.fixture.ts";
import { makeTempFolder } from "../shared/temp-folder.fixture.ts";
import { program } from "./program.ts";
import { makeDocx, paragraph } from "./word.fixture.ts";

const cwd = makeTempFolder(afterAll);
const at = (name: string) => join(cwd, name);
const succeed = async (...argv: string[]) => {
  const { code, json, stderr } = await callProgram(program, argv, { cwd });
  if (code !== 0) throw new Error(stderr);
  return json;
};
const bodyOf = (name: string) =>
  Buffer.from(unzipSync(readFileSync(at(name)))["word/document.xml"] ?? []).toString();
const textOf = async (name: string) =>
  (await succeed("read", name, "--format", "text")) as { readonly text: string };

const BODY =
  paragraph("The term is ", ["<w:b/>", "14"], ["<w:i/>", " days"], " from today.") +
  paragraph("Second 14 days.") +
  "<w:p><w:r><w:t>14</w:t><w:tab/><w:t> days</w:t></w:r></w:p>";

test("replaces text as tracked changes that can be accepted or rejected [S-40]", async () => {
  writeFileSync(at("in.docx"), makeDocx(BODY));
  const before = await textOf("in.docx");
  const answer = await succeed(
    "replace",
    "in.docx",
    "--find",
    "14 days",
    "--with",
    "30 days",
    "--track",
    "--author",
    "Ada",
    "--out",
    "tracked.docx",
  );
  expect(answer).toMatchObject({ total: 2 });
  expect(inspectPackage(at("tracked.docx")).problems).toEqual([]);
  expect(await succeed("info", "tracked.docx")).toMatchObject({
    trackedChanges: { insertions: 2, authors: ["Ada"] },
  });
  expect(bodyOf("tracked.docx")).toMatch(
    /<w:del [^>]*w:author="Ada"[^>]*><w:r><w:rPr><w:b\/><\/w:rPr><w:delText[^>]*>14</,
  );
  expect(bodyOf("tracked.docx")).toMatch(/<w:ins [^>]*><w:r><w:rPr><w:b\/><\/w:rPr><w:t[^>]*>30 days</);
  await succeed("changes", "tracked.docx", "--accept", "--out", "accepted.docx");
  expect((await textOf("accepted.docx")).text).toContain("The term is 30 days from today.");
  await succeed("changes", "tracked.docx", "--reject", "--out", "rejected.docx");
  expect((await textOf("rejected.docx")).text).toBe(before.text);
});

test("adds comments to text, even to a document without comments [S-40]", async () => {
  writeFileSync(at("plain.docx"), makeDocx(BODY));
  await succeed(
    "comment",
    "plain.docx",
    "--find",
    "14 days",
    "--nth",
    "2",
    "--text",
    "Too short?",
    "--author",
    "Ada",
    "--out",
    "one.docx",
  );
  await succeed("comment", "one.docx", "--find", "term is 14", "--text", "Which term?", "--out", "two.docx");
  expect(inspectPackage(at("two.docx")).problems).toEqual([]);
  expect(await succeed("info", "two.docx")).toMatchObject({
    comments: {
      items: [
        { id: "0", author: "Ada", text: "Too short?", about: "14 days" },
        { id: "1", author: "Reviewer", text: "Which term?", about: "term is 14" },
      ],
    },
  });
  expect((await textOf("two.docx")).text).toBe((await textOf("plain.docx")).text);
});

test("rejects a comment on missing text [S-40]", async () => {
  writeFileSync(at("none.docx"), makeDocx(BODY));
  const { json } = await callProgram(
    program,
    ["comment", "none.docx", "--find", "x y z", "--text", "?", "--out", "o.docx"],
    { cwd },
  );
  expect(json).toMatchObject({ error: { code: "NOTHING_FOUND" } });
});
