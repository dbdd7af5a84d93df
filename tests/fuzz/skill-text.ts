import fc from "fast-check";
import { stringify } from "yaml";

/** Frontmatter that YAML's own writer made, and so reads. */
export const validFrontmatter: fc.Arbitrary<string> = fc
  .dictionary(
    fc.oneof(
      fc.constantFrom("name", "description", "metadata", "license", "__proto__"),
      fc.string({ minLength: 1 }),
    ),
    value(),
    { minKeys: 1, maxKeys: 6 },
  )
  .map((data) => stringify(data));

/** SKILL.md files as hostile or careless people would write them: made from the grammar, then damaged. */
export const skillText: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(wellFormed(), fc.array(damage(), { maxLength: 4 }))
      .map(([text, changes]) => changes.reduce((now, change) => change(now), text)),
  },
  {
    weight: 2,
    arbitrary: fc.array(line(), { maxLength: 40 }).map((lines) => `---\n${lines.join("\n")}\n---\nbody\n`),
  },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.constantFrom(...pieces()), { maxLength: 200 })
      .map((parts) => `---\n${parts.join("")}`),
  },
  {
    weight: 1,
    arbitrary: fc.string({ unit: "binary", maxLength: 400 }).map((text) => `---\n${text}\n---\n`),
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 400 }) },
);

function wellFormed(): fc.Arbitrary<string> {
  return fc.tuple(validFrontmatter, fc.string()).map(([yaml, body]) => `---\n${yaml}---\n${body}`);
}

function value(): fc.Arbitrary<unknown> {
  return fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.string({ unit: "grapheme" }),
      fc.double(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(fc.string(), tie("value"), { maxKeys: 4 }),
    ),
  })).value;
}

function damage(): fc.Arbitrary<(text: string) => string> {
  const place = fc.double({ min: 0, max: 1, noNaN: true });
  const at = (text: string, share: number) => Math.floor(share * text.length);
  return fc.oneof(
    fc.tuple(place, fc.constantFrom(...pieces())).map(
      ([share, piece]) =>
        (text: string) =>
          text.slice(0, at(text, share)) + piece + text.slice(at(text, share)),
    ),
    fc.tuple(place, fc.nat({ max: 12 })).map(
      ([share, length]) =>
        (text: string) =>
          text.slice(0, at(text, share)) + text.slice(at(text, share) + length),
    ),
    fc.constant((text: string) => text.replaceAll("\n", "\r\n")),
    fc.constant((text: string) => text.replaceAll("\n  ", "\n")),
    fc.constant((text: string) => text.replaceAll('"', "")),
  );
}

function line(): fc.Arbitrary<string> {
  const key = fc.constantFrom(
    "name",
    "description",
    "metadata",
    "  openclaw",
    "allowed-tools",
    "- item",
    "",
    "\t",
    "Use when",
    "名称",
  );
  const text = fc.oneof(fc.constantFrom(...pieces()), fc.string({ unit: "grapheme", maxLength: 40 }));
  return fc.tuple(key, fc.constantFrom(": ", ":", " ", ""), text, text).map((parts) => parts.join(""));
}

function pieces(): readonly string[] {
  return [
    "---",
    "\n",
    "\r",
    ": ",
    "- ",
    "? ",
    "[",
    "]",
    "{",
    "}",
    ",",
    "&a ",
    "*a",
    "!x ",
    "!!str ",
    "|",
    ">-",
    ">- text",
    "'",
    '"',
    "\\",
    "#",
    " # ",
    "%",
    "@",
    "`",
    "**bold**",
    "\t",
    "\0",
    "\uFEFF",
    "\uD800",
    "<<: *a",
    "...",
    "--- x",
    "  ",
    "：",
    "“",
    "{{x}}",
    "[x] [y]",
    "a: b: c",
  ];
}
