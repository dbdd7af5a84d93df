import { expect, test } from "vitest";
import { childOf, childrenOf, textOf } from "./xml.ts";
import { parseXml } from "./xml-reader.ts";

test("removes the root's prefix from all names and keeps others [S-40]", () => {
  const root = parseXml('<x:a xmlns:x="u"><x:b y="1"/><z:c xmlns:z="v"/><d xmlns="w"/></x:a>', "it");
  expect([root.name, root.prefix, ...root.attributes]).toEqual(["a", "x:", ["xmlns:x", "u"]]);
  expect(childrenOf(root).map(({ name, attributes }) => [name, ...attributes])).toEqual([
    ["b", ["y", "1"]],
    ["z:c", ["xmlns:z", "v"]],
    [":d", ["xmlns", "w"]],
  ]);
});

test("skips comments and instructions, and reads CDATA sections as text [S-40]", () => {
  const root = parseXml("<a><!-- <b> --><?go <b>?><b>1 <![CDATA[<&>]]> 2</b></a>", "it");
  expect(root.children).toHaveLength(1);
  expect(textOf(childOf(root, "b"))).toBe("1 <&> 2");
});

test("reads line endings, references and spaces in attributes as XML defines [S-40]", () => {
  const root = parseXml('\uFEFF<a b="1\n2&#10;3&quot;">x\r\ny\rz&#13;&#x1F600;&apos;</a>', "it");
  expect([root.attributes.get("b"), textOf(root)]).toEqual(['1 2\n3"', "x\ny\nz\r😀'"]);
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
  "<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>",
  "<a>".repeat(201) + "</a>".repeat(201),
])("rejects %j as damaged [S-40]", (text) => {
  expect(() => parseXml(text, "it")).toThrow("it is damaged");
});

test("accepts elements deeper than in any sheet [S-40]", () => {
  expect(parseXml("<a>".repeat(200) + "</a>".repeat(200), "it").name).toBe("a");
});
