import fc from "fast-check";
import { expect, test } from "vitest";
import { isStorable, joinSql, type Sql, sql, toStorable } from "./sql.ts";

const shown = ({ parts, values }: Sql) => parts.reduce((text, part, i) => `${text}<${values[i - 1]}>${part}`);

test("keeps values apart from the text and inserts pieces in place [S-64]", () => {
  const list = joinSql(["a", "'; drop table skill; --"]);
  const query = sql`select ${sql`id, owner`} from skill where id in (${list}) and ${sql`revision = ${3}`}${sql``}`;
  expect(query.parts.join("?")).toBe("select id, owner from skill where id in (?, ?) and revision = ?");
  expect(query.values).toEqual(["a", "'; drop table skill; --", 3]);
  expect(sql`${null}${new Uint8Array(2)}`).toEqual({
    parts: ["", "", ""],
    values: [null, new Uint8Array(2)],
  });
});

test("keeps every value in place in nested pieces [S-64]", () => {
  const { tree } = fc.letrec<{ tree: Sql; leaf: Sql }>((tie) => ({
    leaf: fc.integer().map((value) => sql`x ${value} y`),
    tree: fc.oneof(
      { maxDepth: 4 },
      tie("leaf"),
      fc.tuple(tie("tree"), fc.integer()).map(([inner, value]) => sql`( ${inner} ${value} )`),
      fc.array(tie("tree"), { minLength: 1, maxLength: 3 }).map((items) => joinSql(items, " and ")),
    ),
  }));
  fc.assert(
    fc.property(tree, tree, (one, other) => {
      expect(shown(sql`a ${one} b ${7} c ${other} d`)).toBe(`a ${shown(one)} b <7> c ${shown(other)} d`);
    }),
  );
});

test("rejects values that an engine cannot store unchanged [S-64]", () => {
  for (const text of ["a\0", "\ud800", "a\udc00b"]) {
    expect(() => sql`${text}`).toThrow(expect.objectContaining({ code: "USAGE" }));
    expect([isStorable(text), isStorable(toStorable(text))]).toEqual([false, true]);
  }
  for (const number of [0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
    expect(() => sql`${number}`).toThrow("whole number");
  }
  expect(() => joinSql([])).toThrow("empty");
});
