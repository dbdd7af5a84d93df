import { expect, test } from "vitest";
import {
  attributeOf,
  childrenOf,
  createFragment,
  descendantsOf,
  hasTag,
  setAttributeOf,
} from "./office-xml.ts";
import { cleanText, escapeXml, parseXml, serializeXml } from "./xml.ts";

const W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main";

test("identifies an element by its namespace, with any prefix and in the strict variant [S-40]", () => {
  for (const uri of [W, STRICT]) {
    const { documentElement } = parseXml(
      `<x:document xmlns:x="${uri}"><x:p x:id="1"/><p/></x:document>`,
      "a",
    );
    const [paragraph] = childrenOf(documentElement, "w:p");
    expect(childrenOf(documentElement, "w:p")).toHaveLength(1);
    expect(attributeOf(paragraph, "w:id")).toBe("1");
  }
});

test("an attribute that was set is found again and written once [S-40]", () => {
  const document = parseXml(`<w:p xmlns:w="${W}" w:id="1"/>`, "a");
  setAttributeOf(document.documentElement, "w:id", "2");
  setAttributeOf(document.documentElement, "w:val", "3");
  expect(attributeOf(document.documentElement, "w:id")).toBe("2");
  expect(attributeOf(document.documentElement, "w:val")).toBe("3");
  expect(serializeXml(document)).toContain('w:id="2" w:val="3"/>');
});

test("creates a fragment in the variant of its document [S-40]", () => {
  const { documentElement } = parseXml(`<w:document xmlns:w="${STRICT}"/>`, "a");
  const [paragraph] = createFragment(documentElement, "<w:p/>");
  expect(paragraph?.namespaceURI).toBe(STRICT);
  expect(hasTag(paragraph, "w:p")).toBe(true);
});

test("the list of descendants is in document order and survives their removal [S-40]", () => {
  const { documentElement } = parseXml(
    `<w:a xmlns:w="${W}"><w:t>1</w:t><w:b><w:t>2</w:t></w:b><w:t>3</w:t></w:a>`,
    "a",
  );
  const texts = descendantsOf(documentElement, "w:t");
  for (const text of texts) text.parentNode?.removeChild(text);
  expect(texts.map((text) => text.textContent)).toEqual(["1", "2", "3"]);
  expect(descendantsOf(documentElement, "w:t")).toEqual([]);
});

test.each([
  ["<a><b></a>", /not readable XML/],
  ["", /not readable XML/],
  ["just text", /not readable XML/],
  ["<a>&nbsp;</a>", /not readable XML/],
  ["<a b=c/>", /not readable XML/],
  ['<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', /document type/],
  ["<a>".repeat(1000) + "</a>".repeat(1000), /nested too deeply/],
])("rejects %j [S-40]", (text, message) => {
  expect(() => parseXml(text, "part.xml")).toThrow(message);
});

test("any text survives a round trip through XML [S-40]", () => {
  const text = `<&>"' \u0000\u0008\uD800 é 😀`;
  const document = parseXml(`<a b="${escapeXml(text)}">${escapeXml(text)}</a>`, "a");
  expect(document.documentElement.textContent).toBe(cleanText(text));
  expect(document.documentElement.getAttribute("b")).toBe(cleanText(text));
});
