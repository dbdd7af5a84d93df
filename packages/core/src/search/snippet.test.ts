import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { analyze } from "./analyzer.ts";
import { readQuery } from "./query.ts";
import { type Snippet, snippet } from "./snippet.ts";

function marked({ text, ranges }: Snippet): readonly string[] {
  return ranges.map(([start, end]) => text.slice(start, end));
}

const guide = `# Deploying\n\nRead this first.\n\n${"Filler about nothing much. ".repeat(30)}
To roll out a service, run the kubectl rollout command\nand watch the pods. ${"More filler here. ".repeat(30)}`;

describe("a snippet", () => {
  test("is the part of the text with the most query words, which it marks [S-61]", () => {
    const found = snippet(guide, "kubectl rollouts of services", { length: 90 });
    expect(found.text).toContain("To roll out a service, run the kubectl rollout command");
    expect(marked(found)).toEqual(["service", "kubectl", "rollout"]);
    expect(found.text).toMatch(/^….*…$/);
  });

  test("is the beginning of a text without query words [S-61]", () => {
    const found = snippet(guide, "zebra", { length: 30 });
    expect(found).toEqual({ text: "# Deploying Read this first.…", ranges: [] });
  });

  test("is all of a short text, on one line [S-61]", () => {
    expect(snippet("Fill\n  in PDFs", "pdf")).toEqual({ text: "Fill in PDFs", ranges: [[8, 12]] });
  });

  test("marks a word once that matches whole and in parts [S-61]", () => {
    expect(marked(snippet("Use GitHub here", "GitHub git"))).toEqual(["GitHub"]);
  });

  test("marks completions of a partly typed word [S-61]", () => {
    expect(marked(snippet("Uses Kubernetes", "kube"))).toEqual(["Kubernetes"]);
  });

  test("marks Chinese, with adjacent pairs as one [S-61]", () => {
    expect(marked(snippet("根据数据生成图表", "数据生成"))).toEqual(["数据生成"]);
  });

  test("has separate, ordered ranges within the text, for any text and query [S-61]", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.string({ unit: fc.constantFrom(..."ab 数据\n😀-é"), maxLength: 400 }),
    );
    fc.assert(
      fc.property(text, text, fc.integer({ min: -1, max: 100 }), (body, query, length) => {
        const found = snippet(body, `${query} ${body.slice(5, 20)}`, { length });
        expect(found.text.length).toBeLessThanOrEqual(Math.max(1, length) + 2);
        let reached = 0;
        for (const [start, end] of found.ranges) {
          expect(start).toBeGreaterThanOrEqual(reached);
          expect(end).toBeGreaterThan(start);
          reached = end;
        }
        expect(reached).toBeLessThanOrEqual(found.text.length);
      }),
    );
  });
});

test("marks the same words as a full analysis, for any text and query [S-61]", () => {
  const text = fc.string({ unit: "binary", maxLength: 80 });
  const words = fc
    .array(
      fc.constantFrom(
        "Forms",
        "flies",
        "GitHub",
        "caches",
        "数据库",
        "Ünïcode",
        "a",
        "c",
        "axes",
        "data-base",
      ),
    )
    .map((list) => list.join(" "));
  fc.assert(
    fc.property(fc.oneof(text, words), fc.oneof(text, words), (body, query) => {
      const { terms } = readQuery(query);
      const open = terms.find(({ isOpen }) => isOpen)?.term;
      const isWanted = ({ term }: { readonly term: string }) =>
        terms.some((each) => each.term === term) || (open !== undefined && term.startsWith(open));
      const { text: shown, ranges } = snippet(body, query, { length: 10_000 });
      const marked = ranges.map(([from, to]) => shown.slice(from, to)).join("");
      const expected = analyze(body).filter(isWanted);
      expect(marked !== "").toBe(expected.length > 0);
      for (const { from, to } of expected)
        expect(marked.replace(/\s/g, "")).toContain(body.slice(from, to).replace(/\s/g, ""));
    }),
  );
});
