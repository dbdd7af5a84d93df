import type { RefusalReason } from "./rejection.ts";

/** An archive that must be refused, why, and which entry is to be named. */
export interface Attack {
  readonly name: string;
  readonly make: () => Buffer;
  readonly reason: RefusalReason | "limit";
  readonly entry?: string;
}

/** Names that must be refused wherever they stand, and how they are shown. */
export const badNames: readonly (readonly [title: string, name: string | Buffer, shown?: string])[] = [
  ["dot dot in the middle", "demo/../../ESCAPE"],
  ["dot dot at the start", "../ESCAPE"],
  ["dot dot deep", "demo/a/../../../ESCAPE"],
  ["dot dot after a dot", "./../ESCAPE"],
  ["dot dot by backslash", "demo\\..\\..\\ESCAPE"],
  ["dot dot by both slashes", "demo/..\\../ESCAPE"],
  ["an absolute path", "/tmp/skillhold-ESCAPE"],
  ["an absolute path after a dot", ".//tmp/skillhold-ESCAPE"],
  ["a drive", "C:\\ESCAPE"],
  ["a drive with a slash", "C:/ESCAPE"],
  ["a share", "\\\\host\\share\\ESCAPE"],
  ["an alternate stream", "demo/SKILL.md:evil"],
  ["a home folder", "~/ESCAPE"],
  ["a dot segment", "demo/./x.md"],
  ["two dots before", "././x.md"],
  ["an empty segment", "demo//y.md"],
  ["an empty name", ""],
  ["a dot", "."],
  ["two dots", ".."],
  ["an overlong slash", Buffer.from("demo/..\xc0\xafE", "latin1"), "demo/..��E"],
  ["full-width dots", "demo/．．/．．/ESCAPE"],
  ["bytes that are not UTF-8", Buffer.from("demo/\xff\xfe", "latin1"), "demo/��"],
  ["a surrogate in UTF-8", Buffer.from("demo/\xed\xa0\x80", "latin1"), "demo/���"],
  ["text that runs backwards", "demo/\u202Egpj.sh", "demo/gpj.sh"],
  ["a zero-width space", "demo/SKILL\u200B.md", "demo/SKILL.md"],
  ["a byte order mark", "\uFEFFdemo/x.md", "demo/x.md"],
  ["terminal sequences", "demo/\x1b[2J\x1b]0;x\x07.md", "demo/.md"],
  ["a line feed", "demo/a\nb.md", "demo/a b.md"],
  ["a device of Windows", "demo/CON"],
  ["a device of Windows with an ending", "demo/aux.txt"],
  ["a blank at the end", "demo/x. ", "demo/x."],
  ["a wildcard", "demo/*.md"],
];

/** Several entries that do not go together; the last is the one that is named. */
export const badTogether: readonly (readonly [
  title: string,
  reason: RefusalReason,
  names: readonly string[],
])[] = [
  ["a name twice", "duplicate", ["demo/a.md", "demo/a.md"]],
  ["a name twice, once with a dot before", "duplicate", ["demo/a.md", "./demo/a.md"]],
  ["names that differ in case", "collision", ["demo/a.md", "demo/A.MD"]],
  ["folders that differ in case", "collision", ["demo/sub/a.md", "demo/Sub/b.md"]],
  ["names that differ in composition", "collision", ["demo/caf\u00e9.md", "demo/cafe\u0301.md"]],
  ["names that differ in width", "collision", ["demo/a.md", "demo/ａ.md"]],
  ["names that differ in the long s", "collision", ["demo/S.md", "demo/ſ.md"]],
  ["a file, then a folder of its name", "duplicate", ["demo/a", "demo/a/b"]],
  ["a folder, then a file of its name", "duplicate", ["demo/a/b", "demo/a"]],
];
