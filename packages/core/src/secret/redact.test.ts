import fc from "fast-check";
import { expect, test } from "vitest";
import { makeRedactor, type RedactStream } from "./redact.ts";
import { redactForms } from "./redact-form.ts";

const bytes = (text: string) => Buffer.from(text);

function feed(stream: RedactStream, input: Uint8Array, cuts: readonly number[] = []): Buffer {
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const cut of [...cuts.toSorted((a, b) => a - b), input.length]) {
    const end = Math.min(cut, input.length);
    parts.push(stream.push(input.subarray(at, end)));
    at = end;
  }
  return Buffer.concat([...parts, stream.end()]);
}

const keys: readonly [string, string][] = [["KEY", 'p4ss/w+rd é"x']];

test.each([
  ["as it is", 'p4ss/w+rd é"x'],
  ["in base64", bytes('p4ss/w+rd é"x').toString("base64")],
  ["in base64 without padding", bytes('p4ss/w+rd é"x').toString("base64").replace(/=+$/, "")],
  ["in base64 for URLs", bytes('p4ss/w+rd é"x').toString("base64url")],
  ["in lower hexadecimal", bytes('p4ss/w+rd é"x').toString("hex")],
  ["in upper hexadecimal", bytes('p4ss/w+rd é"x').toString("hex").toUpperCase()],
  ["URL-encoded", "p4ss%2Fw%2Brd%20%C3%A9%22x"],
  ["URL-encoded in lower case", "p4ss%2fw%2brd%20%c3%a9%22x"],
  ["URL-encoded as a path", "p4ss/w%2Brd%20%C3%A9%22x"],
  ["as in a form", new URLSearchParams({ k: 'p4ss/w+rd é"x' }).toString().slice(2)],
  ["in JSON", 'p4ss/w+rd é\\"x'],
  ["in JSON of ASCII", 'p4ss/w+rd \\u00e9\\"x'],
  ["in JSON with slashes escaped", 'p4ss\\/w+rd é\\"x'],
])("removes a value %s [S-33]", (_, form) => {
  expect(makeRedactor(keys).text(`before ${form} after ${form}`)).toBe(
    "before [secret KEY] after [secret KEY]",
  );
});

test("removes a value at any position of a longer base64 text [S-33]", () => {
  const value = "correct horse battery";
  const redactor = makeRedactor([["KEY", value]]);
  for (const before of ["", "u", "us", "use"]) {
    for (const after of ["", "\n", "!?", "..."]) {
      for (const encoding of ["base64", "base64url"] as const) {
        const redacted = redactor.text(bytes(before + value + after).toString(encoding));
        expect(redacted).toContain("[secret KEY]");
        // At each end, a letter that shares bits with an adjacent byte may remain.
        expect(redacted.replace("[secret KEY]", "").length).toBeLessThanOrEqual(12);
        expect(Buffer.from(redacted.replace("[secret KEY]", ""), "base64").toString()).not.toContain(
          "orrect",
        );
      }
    }
  }
});

test.each([64, 76])("removes a long value from base64 in lines of %i characters [S-33]", (width) => {
  const value = "0123456789abcdef".repeat(20);
  const text = bytes(value).toString("base64");
  for (const end of ["\n", "\r\n"]) {
    const lines = text.match(new RegExp(`.{1,${width}}`, "g"))?.join(end);
    expect(makeRedactor([["KEY", value]]).text(`${lines}${end}`)).toBe(`[secret KEY]${end}`);
  }
});

test("of nested values removes the longest, and overlapping ones together [S-33]", () => {
  const redactor = makeRedactor([
    ["SHORT", "token"],
    ["LONG", "my-token-1"],
    ["TAIL", "1-and-more"],
  ]);
  expect(redactor.text("token my-token-1 my-token-1-and-more, my-token-")).toBe(
    "[secret SHORT] [secret LONG] [secret LONG], my-[secret SHORT]-",
  );
  expect(redactor.text("tokentoken")).toBe("[secret SHORT][secret SHORT]");
});

test("keeps a value shorter than four characters and reports its name [S-33]", () => {
  const redactor = makeRedactor([
    ["PIN", "123"],
    ["KEY", "1234"],
  ]);
  expect(redactor.skipped).toEqual(["PIN"]);
  expect(redactor.text("123 1234")).toBe("123 [secret KEY]");
  const nothing = makeRedactor([]);
  expect(nothing.text("1234")).toBe("1234");
  expect(feed(nothing.stream(), bytes("1234"))).toEqual(bytes("1234"));
});

test("a mark never shows the value it replaces [S-33]", () => {
  expect(makeRedactor([["KEY", "secret"]]).text("a secret!")).toBe("a [removed]!");
  const both: readonly [string, string][] = [
    ["A", "secret"],
    ["B", "removed"],
  ];
  expect(makeRedactor(both).text("secret, removed")).toBe("***, ***");
});

test("keeps text that has no UTF-8 bytes [S-33]", () => {
  expect(makeRedactor(keys).text("lone \ud800 half")).toBe("lone \ud800 half");
});

test("passes bytes on at once unless a value may begin there, and the rest at the end [S-33]", () => {
  const stream = makeRedactor([["KEY", "abcdefgz"]]).stream();
  expect(Buffer.from(stream.push(bytes("hello abc"))).toString()).toBe("hello ");
  expect(Buffer.from(stream.push(bytes("d"))).toString()).toBe("");
  expect(Buffer.from(stream.push(bytes("x abcdefgz"))).toString()).toBe("abcdx [secret KEY]");
  expect(Buffer.from(stream.push(bytes("ab"))).toString()).toBe("");
  expect(Buffer.from(stream.end()).toString()).toBe("ab");
});

/** Few letters, so that values overlap, repeat and are prefixes of each other. No value occurs inside a mark. */
const value = fc.oneof(
  fc.string({ unit: fc.constantFrom("x", "y", "%", "é"), minLength: 4, maxLength: 12 }),
  fc.string({ unit: fc.constantFrom("x", "y"), minLength: 4, maxLength: 6 }),
  fc
    .uint8Array({ minLength: 6, maxLength: 20 })
    .map((array) => `${Buffer.from(array).toString("base64url")}~~~~`),
);
const noise = fc.oneof(
  fc.uint8Array({ maxLength: 12 }).map((array) => Buffer.from(array)),
  fc.string({ unit: fc.constantFrom("x", "y", "%", "é"), maxLength: 8 }).map(bytes),
);

/** Values, and an input that is made of noise and of their forms, whole and cut off. */
const scene = fc.array(value, { minLength: 1, maxLength: 4 }).chain((values) => {
  const forms = values.flatMap(redactForms).map(bytes);
  const form = fc.constantFrom(...forms);
  const part = fc.oneof(
    noise,
    form,
    fc.tuple(form, fc.nat(12)).map(([whole, count]) => whole.subarray(0, count)),
  );
  const input = fc.array(part, { maxLength: 12 }).map((parts) => Buffer.concat(parts));
  return fc.record({ values: fc.constant(values), input, cuts: fc.array(fc.nat(200), { maxLength: 8 }) });
});

test("no form of a value survives, and chunk borders change nothing [S-33]", () => {
  fc.assert(
    fc.property(scene, ({ values, input, cuts }) => {
      const redactor = makeRedactor(values.map((text, index) => [`N${index}`, text]));
      const whole = feed(redactor.stream(), input);
      expect(feed(redactor.stream(), input, cuts)).toEqual(whole);
      expect(
        feed(
          redactor.stream(),
          input,
          Array.from({ length: input.length }, (_, at) => at),
        ),
      ).toEqual(whole);
      for (const form of values.flatMap(redactForms)) expect(whole.includes(form)).toBe(false);
    }),
    { numRuns: 500 },
  );
});

test("removes exactly what a search for every form finds [S-33]", () => {
  fc.assert(
    fc.property(scene, ({ values, input }) => {
      const redactor = makeRedactor(values.map((text, index) => [`N${index}`, text]));
      const kept = feed(redactor.stream(), input)
        .toString("latin1")
        .split(/\[secret N\d\]/);
      expect(kept.join("")).toBe(withoutForms(input, values.flatMap(redactForms)));
    }),
    { numRuns: 500 },
  );
});

test("passes bytes without a value unchanged [S-33]", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.array(fc.nat(300)), (array, cuts) => {
      const redactor = makeRedactor([
        ["A", "\u{1f511}\u{1f511}-key-one"],
        ["B", "another-value"],
      ]);
      expect(feed(redactor.stream(), array, cuts)).toEqual(Buffer.from(array));
    }),
  );
});

test("reads repeated beginnings of a value in linear time [S-33]", () => {
  const redactor = makeRedactor([["KEY", `${"a".repeat(60_000)}b`]]);
  const stream = redactor.stream();
  const chunk = bytes("a".repeat(64));
  let length = 0;
  // At the product of both lengths this would take hours.
  for (let index = 0; index < 16_384; index += 1) length += stream.push(chunk).length;
  expect(length + stream.end().length).toBe(1_048_576);
});

/** The obvious way: mark every byte of every occurrence. */
function withoutForms(input: Buffer, forms: readonly string[]): string {
  const isMarked = new Uint8Array(input.length);
  for (const form of forms.map(bytes)) {
    for (let at = input.indexOf(form); at !== -1; at = input.indexOf(form, at + 1)) {
      isMarked.fill(1, at, at + form.length);
    }
  }
  return Buffer.from(input.filter((_, index) => isMarked[index] === 0)).toString("latin1");
}
