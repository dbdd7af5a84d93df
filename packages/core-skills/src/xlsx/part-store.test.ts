import { expect, test } from "vitest";
import { PartStore } from "./part-store.ts";

const parts = new Map(
  ["one", "two"].map((name) => [`${name}.xml`, new TextEncoder().encode(`<${name}><a/><a/></${name}>`)]),
);

test("all parts share an element limit, and a released part frees its share [S-40]", () => {
  const store = new PartStore(parts, "it", { left: 5 });
  expect(store.read("one.xml")?.name).toBe("one");
  store.release("one.xml");
  expect(store.read("two.xml")?.name).toBe("two");
  expect(() => store.read("one.xml")).toThrow(expect.objectContaining({ code: "FILE_TOO_LARGE", exit: 3 }));
});

test("does not release a changed part [S-40]", () => {
  const store = new PartStore(parts, "it");
  store.change("one.xml").attributes.set("b", "1");
  store.release("one.xml");
  expect(store.read("one.xml")?.attributes.get("b")).toBe("1");
});
