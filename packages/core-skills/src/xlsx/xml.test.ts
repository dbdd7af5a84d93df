import fc from "fast-check";
import { expect, test } from "vitest";
import { childOf, makeElement, parseXml, serializeXml, textOf } from "./xml.ts";

test("a document is written back as it was read [S-40]", () => {
  const text =
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<a xmlns:r="u" r:id="1&amp;2"><b/> t &lt; <c d="&quot;"> x </c></a>';
  expect(serializeXml(parseXml(text, "it"))).toBe(text);
});

test("the prefix of the root is taken off, and its namespace becomes the default [S-40]", () => {
  const root = parseXml('<x:a xmlns:x="u"><x:b y="1"/><z:c xmlns:z="v"/></x:a>', "it");
  expect(serializeXml(root)).toContain('<a xmlns="u"><b y="1"/><z:c xmlns:z="v"/></a>');
});

test("comments are left out and literal sections are text [S-40]", () => {
  expect(textOf(childOf(parseXml("<a><!-- <b> --><b><![CDATA[<&>]]></b></a>", "it"), "b"))).toBe("<&>");
});

test.each([
  "",
  "<a>",
  "<a></b>",
  "<a/><b/>",
  "x<a/>",
  "<a b=c/>",
  "<a",
  "<a b='1",
  "<!DOCTYPE a [<!ENTITY x 'y'>]><a/>",
  `${"<a>".repeat(300)}`,
])("%j is refused as damaged [S-40]", (text) => {
  expect(() => parseXml(text, "it")).toThrow("it is damaged");
});

test("any text and attribute comes back from what was written [S-40]", () => {
  const legal = fc.string({
    unit: fc.constantFrom("a", "<", ">", "&", '"', "'", "\n", "\r", "\t", "é", "😀", "]]>"),
  });
  fc.assert(
    fc.property(legal, legal, (text, value) => {
      const root = makeElement("a", { b: value }, text === "" ? [] : [text]);
      const read = parseXml(serializeXml(root), "it");
      expect([textOf(read), read.attributes.get("b")]).toEqual([text, value]);
    }),
  );
});
