import { expect, test } from "vitest";
import { after, settled } from "./install-state.ts";

const begun = { type: "skill.dep.item.installing", slug: "pdf", dep: "pip:pypdf" } as const;
const ended = { type: "skill.dep.item.installed", slug: "pdf", dep: "pip:pypdf" } as const;

test("follows an installation from start to end [S-59]", () => {
  const running = after(new Map(), begun, "pdf");
  expect(running.get("pip:pypdf")).toEqual({ state: "running" });
  expect(after(running, { ...ended, ok: true }, "pdf").get("pip:pypdf")).toEqual({ state: "ok" });
  expect(after(running, { ...ended, ok: false, error: "No network." }, "pdf").get("pip:pypdf")).toEqual({
    state: "failed",
    error: "No network.",
  });
});

test("ignores installations for other skills [S-59]", () => {
  const states = new Map();
  expect(after(states, begun, "docx")).toBe(states);
});

test("the response ends all running items [S-59]", () => {
  const running = after(after(new Map(), begun, "pdf"), { ...begun, dep: "apt:qpdf" }, "pdf");
  const results = [{ spec: "pip:pypdf", status: "manual", message: "Ask someone who may." }] as const;
  expect([...settled(running, results)]).toEqual([
    ["pip:pypdf", { state: "failed", error: "Ask someone who may." }],
  ]);
});
