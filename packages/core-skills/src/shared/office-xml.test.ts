import { expect, test } from "vitest";
import {
  attributeOf,
  childrenOf,
  createElement,
  createFragment,
  descendantsOf,
  hasTag,
  setAttributeOf,
} from "./office-xml.ts";
import { cleanText, escapeXml, parseXml } from "./xml.ts";
import { serializeXml } from "./xml-writer.ts";

const W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main";

test("identifies an element by its namespace, with any prefix and in the strict variant [S-40]", () => {
  for (const uri of [W, STRICT]) {
    const root = parseXml(`<x:document xmlns:x="${uri}"><x:p x:id="1"/><p/></x:document>`, "a");
    const [paragraph] = childrenOf(root, "w:p");
    expect(childrenOf(root, "w:p")).toHaveLength(1);
    expect(attributeOf(paragraph, "w:id")).toBe("1");
  }
});

test("an attribute that was set is found again and written once [S-40]", () => {
  const document = parseXml(`<w:p xmlns:w="${W}" w:id="1"/>`, "a");
  setAttributeOf(document, "w:id", "2");
  setAttributeOf(document, "w:val", "3");
  expect(attributeOf(document, "w:id")).toBe("2");
  expect(attributeOf(document, "w:val")).toBe("3");
  expect(Buffer.from(serializeXml(document)).toString()).toContain('w:id="2" w:val="3"/>');
});

test("creates a fragment in the variant of its document [S-40]", () => {
  const root = parseXml(`<w:document xmlns:w="${STRICT}"/>`, "a");
  const [paragraph] = createFragment(root, "<w:p/>");
  expect(paragraph?.namespaceURI).toBe(STRICT);
  expect(hasTag(paragraph, "w:p")).toBe(true);
});

test("the list of descendants is in document order and survives their removal [S-40]", () => {
  const root = parseXml(`<w:a xmlns:w="${W}"><w:t>1</w:t><w:b><w:t>2</w:t></w:b><w:t>3</w:t></w:a>`, "a");
  const texts = descendantsOf(root, "w:t");
  for (const text of texts) text.parentNode?.removeChild(text);
  expect(texts.map((text) => text.textContent)).toEqual(["1", "2", "3"]);
  expect(descendantsOf(root, "w:t")).toEqual([]);
});

test.each([
  ["<a><b></a>", /is damaged/],
  ["", /is damaged/],
  ["just text", /is damaged/],
  ["<a>&nbsp;</a>", /is damaged/],
  ["<a b=c/>", /is damaged/],
  ['<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', /document type/],
  ["<a>".repeat(1000) + "</a>".repeat(1000), /nested too deeply/],
])("rejects %j [S-40]", (text, message) => {
  expect(() => parseXml(text, "part.xml")).toThrow(message);
});

test("any text survives a round trip through XML [S-40]", () => {
  const text = `<&>"' \u0000\u0008\uD800 é 😀`;
  const document = parseXml(`<a b="${escapeXml(text)}">${escapeXml(text)}</a>`, "a");
  expect(document.textContent).toBe(cleanText(text));
  expect(document.getAttribute("b")).toBe(cleanText(text));
});

test("an element that moves to another document takes its namespaces along [S-40]", () => {
  const source = parseXml(
    `<x:document xmlns:x="${W}" xmlns:q="urn:q"><x:p q:id="1"><x:r/></x:p></x:document>`,
    "a",
  );
  const target = parseXml(`<w:document xmlns:w="${W}" xmlns:q="urn:other"/>`, "a");
  const [paragraph] = childrenOf(source);
  if (paragraph === undefined) throw new Error("The paragraph is missing.");
  target.appendChild(paragraph.cloneNode(true));
  const text = Buffer.from(serializeXml(target)).toString();
  expect(text).toContain(`<x:p xmlns:x="${W}" xmlns:q="urn:q" q:id="1"><x:r/></x:p>`);
  const again = descendantsOf(parseXml(text, "a"), "w:r");
  expect(again).toHaveLength(1);
});

test("a new element takes the prefix that the document has for its namespace [S-40]", () => {
  const root = parseXml(`<document xmlns="${W}"/>`, "a");
  setAttributeOf(root.appendChild(createElement(root, "w:p")), "w:id", "1");
  expect(Buffer.from(serializeXml(root)).toString()).toContain(`<p xmlns:w="${W}" w:id="1"/>`);
});
