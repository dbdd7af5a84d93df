import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { inspectPackage } from "../shared/office-oracle.fixture.ts";
import { openSandbox } from "../shared/sandbox.fixture.ts";
import { makeTempFolder } from "../shared/temp-folder.fixture.ts";

// A sandbox takes seconds to start, and more on a busy machine.
vi.setConfig({ testTimeout: 120_000 });
const cwd = makeTempFolder(afterAll);
const SLIDES = [
  { title: "One", subtitle: "by Ada" },
  { title: "Two", bullets: ["a", "b"], notes: "say it" },
  { title: "Three", chart: { categories: ["x"], series: [{ name: "s", values: [1] }] } },
];

test.skipIf(process.platform !== "linux")(
  "creates a deck of three slides with notes and a chart in the sandbox from standard input [S-40]",
  async () => {
    const sandbox = await openSandbox("pptx", cwd);
    const argv = ["create", "-", "--out", "deck.pptx"];
    const { code, stdout, stderr } = sandbox.run(["--stdin", "--out", "out"], argv, JSON.stringify(SLIDES));
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, slides: 3 });
    const { problems, texts } = inspectPackage(join(cwd, "out/deck.pptx"));
    expect(problems).toEqual([]);
    expect(texts).toMatchObject({
      "ppt/slides/slide1.xml": "Oneby Ada",
      "ppt/notesSlides/notesSlide1.xml": "say it",
      "ppt/slides/slide3.xml": "Three",
    });
  },
);
