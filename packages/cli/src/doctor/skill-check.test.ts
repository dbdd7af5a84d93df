import { expect, test } from "vitest";
import { usedMs } from "../../../../tests/used-time.ts";
import { findLinks } from "./skill-check.ts";

test.each([
  ["[a](b.md)", ["b.md"]],
  ["![a](./b.png 'title') [c](<d e.md>)", ["./b.png", "d e.md"]],
  ["[a](b%20c.md) [d](100%.md)", ["b c.md", "100%.md"]],
  ["[a](b.md#part) [c](#part) [d](e.md?x)", ["b.md", "e.md"]],
  ["[a](https://x.y) [b](mailto:x) [c](/etc/x) [d](~/x) [e](C:\\x)", []],
  ["[a](${DIR}/b.md) [c]({baseDir}/d.md) [e](*.md) [f](...)", []],
  ["`[a](b.md)` [c](d.md)", ["d.md"]],
  ["```\n[a](b.md)\n```\n[c](d.md)", ["d.md"]],
  ["~~~\n```\n[a](b.md)\n~~~\n[c](d.md)", ["d.md"]],
])("finds in %j the relative links %j [S-19]", (body, targets) => {
  expect(findLinks(body).map(({ target }) => target)).toEqual(targets);
});

test("a link has its line number [S-19]", () => {
  expect(findLinks("a\r\n\n[b](c.md)\n")).toEqual([{ target: "c.md", line: 3 }]);
});

test.each(["](", "[a](<", "[](a ", "`", "](a 'b"])(
  "scans a text of many %j in linear time [S-66]",
  (part) => {
    expect(usedMs(() => findLinks(part.repeat(200_000)))).toBeLessThan(2000);
  },
);
