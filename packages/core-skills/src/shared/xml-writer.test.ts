import fc from "fast-check";
import { expect, test } from "vitest";
import { parseXml, XmlElement, type XmlNode } from "./xml.ts";
import { Attributes } from "./xml-attributes.ts";
import { serializeXml } from "./xml-writer.ts";

function write(root: XmlElement): string {
  return new TextDecoder().decode(serializeXml(root));
}

function makeElement(
  name: string,
  attributes: Readonly<Record<string, string>> = {},
  children: readonly XmlNode[] = [],
): XmlElement {
  const element = new XmlElement(name, Attributes.of(attributes));
  element.children = children;
  return element;
}

test.each([
  '<a xmlns:r="u" r:id="1&amp;2"><b/> t &lt; <c d="&quot;"> x </c></a>',
  '<x:a xmlns:x="u"><x:b y="1"/><z:c xmlns:z="v"><x:e/></z:c><d xmlns="w"/></x:a>',
])("writes %s as it was read [S-40]", (text) => {
  for (const isPrefixRemoved of [true, false])
    expect(write(parseXml(text, "it", { isPrefixRemoved }))).toBe(
      `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n${text}`,
    );
});

const legal = fc.string({
  unit: fc.constantFrom("a", "<", ">", "&", '"', "'", "\n", "\r", "\t", "é", "😀", "]]>", "\u0085"),
});

/** Of texts that touch, a reader can only make one. */
const { tree } = fc.letrec<{ tree: XmlElement }>((tie) => ({
  tree: fc
    .record({
      name: fc.constantFrom("a", "b", "x:c"),
      attributes: fc.dictionary(fc.constantFrom("p", "q", "x:r"), legal, { noNullPrototype: true }),
      children: fc.array(fc.oneof({ maxDepth: 3 }, legal, tie("tree")), { maxLength: 4 }),
    })
    .map(({ name, attributes, children }) => makeElement(name, attributes, children.filter(isApart))),
}));

function isApart(node: XmlNode, index: number, nodes: readonly XmlNode[]): boolean {
  return typeof node !== "string" || (node !== "" && typeof nodes[index - 1] !== "string");
}

test("any tree survives a round trip [S-40]", () => {
  fc.assert(
    fc.property(tree, (each) => {
      const root = makeElement("root", {}, [each]);
      expect(parseXml(write(root), "it").children.map(dump)).toEqual([dump(each)]);
    }),
  );
});

/** Attributes are private to their list, and equal to no eye. */
function dump(node: XmlNode): unknown {
  return typeof node !== "string" ? [node.name, [...node.attributes], node.children.map(dump)] : node;
}

test("writes output larger than one piece completely and in order [S-40]", () => {
  const cells = Array.from({ length: 20_000 }, (_, index) => makeElement("c", { r: `A${index}` }, ["é"]));
  const read = parseXml(write(makeElement("a", {}, cells)), "it");
  expect(read.children.map(dump)).toEqual(cells.map(dump));
});

test("omits characters that XML does not allow [S-40]", () => {
  const root = makeElement("a", { b: "1\u0000\u001f2" }, ["x\u0008\uFFFEy"]);
  const read = parseXml(write(root), "it");
  expect([read.attributes.get("b"), read.textContent]).toEqual(["12", "xy"]);
});
