import type { Digest } from "@skillhold/protocol";
import { expect, test } from "vitest";
import { z } from "zod";
import type { ActivatedSkill } from "./activation-text.ts";
import type { SessionResource } from "./resource.ts";
import { fixturePorts, skill as fixtureSkill, openFixture } from "./session.fixture.ts";
import { openSession } from "./session.ts";
import { defineTool, skillTools } from "./tool.ts";
import { succeedTool } from "./tool-result.ts";

const input = z.strictObject({});
const treeHash = `sha256:${"0".repeat(64)}` as Digest;
const skill: ActivatedSkill = {
  id: "pdf",
  name: "pdf",
  text: "content",
  tokens: 1,
  treeHash,
  files: [],
  moreFiles: 0,
  hints: [],
  warnings: [],
  isRepeat: false,
};
declare const resource: SessionResource;

test("does not compile a tool that returns skill content without its record [S-25] [S-62]", () => {
  defineTool(
    "read_skill",
    "activation",
    "",
    input,
    // @ts-expect-error The content has no record.
    async () => succeedTool(skill.text, skill),
  );
  defineTool(
    "read_skill",
    "none",
    "",
    input,
    // @ts-expect-error A tool with content must declare it.
    async () => succeedTool(skill.text, skill),
  );
  defineTool(
    "read_skill_resource",
    "resource",
    "",
    input,
    // @ts-expect-error The file has no record.
    async () => succeedTool("", resource),
  );
  // @ts-expect-error Every tool declares the content that it discloses.
  defineTool("read_skill", "", input, async () => succeedTool("", { id: "pdf", wasActive: true }));
});

test("declares for each tool the content that it discloses [S-24] [S-62]", async () => {
  const { session } = await openFixture([]);
  const disclosing = skillTools(session).filter(({ discloses }) => discloses !== "none");
  expect(disclosing.map(({ name, discloses }) => [name, discloses])).toEqual([
    ["read_skill", "activation"],
    ["read_skill_resource", "resource"],
  ]);
});

test("returns no content when the record fails [S-25] [S-62]", async () => {
  const { library } = await openFixture([fixtureSkill("pdf", { files: { "notes.md": "secret" } })]);
  let isFailing = false;
  const record = async () => {
    if (isFailing) throw new Error("disk full");
  };
  const session = await openSession(library, { runtime: "test" }, { ...fixturePorts(), audit: { record } });
  isFailing = true;
  const [read, resourceTool] = ["read_skill", "read_skill_resource"].map((name) =>
    skillTools(session).find((tool) => tool.name === name),
  );
  await expect(read?.run({ skill_id: "pdf" })).rejects.toThrow("disk full");
  await expect(resourceTool?.run({ skill_id: "pdf", path: "notes.md" })).rejects.toThrow("disk full");
  expect(session.active()).toEqual([]);
});
