import { expect, test } from "vitest";
import { parseXml, type XmlElement } from "./xml.ts";

test("removes the root's prefix from all names and keeps others [S-40]", () => {
  const root = parseXml('<x:a xmlns:x="u"><x:b y="1"/><z:c xmlns:z="v"/><d xmlns="w"/></x:a>', "it", {
    isPrefixRemoved: true,
  });
  expect([root.name, root.prefix, ...root.attributes]).toEqual(["a", "x:", ["xmlns:x", "u"]]);
  expect(elementsIn(root).map(({ name, attributes }) => [name, ...attributes])).toEqual([
    ["b", ["y", "1"]],
    ["z:c", ["xmlns:z", "v"]],
    [":d", ["xmlns", "w"]],
  ]);
});

test("skips comments and instructions, and reads CDATA sections as text [S-40]", () => {
  const root = parseXml("<a><!-- <b> --><?go <b>?><b>1 <![CDATA[<&>]]> 2</b></a>", "it");
  expect(root.children).toHaveLength(1);
  expect(root.textContent).toBe("1 <&> 2");
});

test("reads line endings, references and spaces in attributes as XML defines [S-40]", () => {
  const root = parseXml('\uFEFF<a b="1\n2&#10;3&quot;">x\r\ny\rz&#13;&#x1F600;&apos;</a>', "it");
  expect([root.attributes.get("b"), root.textContent]).toEqual(['1 2\n3"', "x\ny\nz\r😀'"]);
});

test.each([
  "",
  " ",
  "<a>",
  "<a></b>",
  "<a/><b/>",
  "x<a/>",
  "<a/>x",
  "<a b=c/>",
  "<a b/>",
  "<a b='1' b='2'/>",
  "<a b='<'/>",
  "<a",
  "<a b='1",
  "<1/>",
  "<a><!-- -- --></a>",
  "<a>]]></a>",
  "<a>\u0001</a>",
  "<a>&#0;</a>",
  "<a>& </a>",
  "<a>&unknown;</a>",
  "<a>&constructor;</a>",
  "<a b='&__proto__;'/>",
  "<!DOCTYPE a><a/>",
  '<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>',
  '<!DOCTYPE a [<!ENTITY x SYSTEM "http://127.0.0.1/">]><a>&x;</a>',
  '<!DOCTYPE a [<!ENTITY x "yyyy"><!ENTITY z "&x;&x;&x;&x;">]><a>&z;</a>',
  "<!doctype a><a/>",
  "<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>",
  "<a>".repeat(401) + "</a>".repeat(401),
])("rejects %j as damaged [S-40]", (text) => {
  expect(() => parseXml(text, "it")).toThrow("it is damaged");
});

test("accepts elements nested 400 deep [S-40]", () => {
  expect(parseXml("<a>".repeat(400) + "</a>".repeat(400), "it").name).toBe("a");
});

test("the elements of all parts share one budget [S-40]", () => {
  const budget = { left: 3 };
  expect(parseXml("<a><b/></a>", "it", { budget }).name).toBe("a");
  expect(() => parseXml("<a><b/></a>", "it", { budget })).toThrow(
    expect.objectContaining({ code: "FILE_TOO_LARGE" }),
  );
});

test("an element that moves leaves its old parent [S-40]", () => {
  const root = parseXml("<a><b><c/></b><d/></a>", "it");
  const [b, d] = elementsIn(root);
  const [c] = elementsIn(b);
  if (b === undefined || c === undefined || d === undefined) throw new Error("An element is missing.");
  root.insertBefore(c, d);
  expect(elementsIn(root).map(({ name }) => name)).toEqual(["b", "c", "d"]);
  expect([c.parentNode?.name, b.children.length]).toEqual(["a", 0]);
  root.appendChild(b);
  expect(elementsIn(root).map(({ name }) => name)).toEqual(["c", "d", "b"]);
  root.insertAt(2, c);
  expect(elementsIn(root).map(({ name }) => name)).toEqual(["d", "c", "b"]);
  root.removeChild(d);
  expect([d.parentNode, root.children.length]).toEqual([null, 2]);
});

function elementsIn(element: XmlElement | undefined): readonly XmlElement[] {
  return (element?.children ?? []).filter((node): node is XmlElement => typeof node !== "string");
}
