/** One call of a script over a document. `{in}` is the document, `{out}` the output, and `{dir}` an output folder. */
export interface Operation {
  readonly name: string;
  readonly argv: readonly string[];
  /** What to compare the result with. */
  readonly check?: "text" | "pdf" | "office" | "xlsx";
}

const json = (value: unknown) => JSON.stringify(value);

/** Every operation by skill. Each document of the skill goes through all of them. */
export const operations: Readonly<Record<string, readonly Operation[]>> = {
  pdf: [
    { name: "info", argv: ["info", "{in}"] },
    { name: "text", argv: ["text", "{in}", "--limit", "200000"], check: "text" },
    { name: "tables", argv: ["tables", "{in}", "--pages", "1"] },
    { name: "fields", argv: ["fields", "{in}"] },
    { name: "images", argv: ["images", "{in}", "--pages", "1", "--out-dir", "{dir}"] },
    { name: "render", argv: ["render", "{in}", "--pages", "1", "--dpi", "60", "--out-dir", "{dir}"] },
    {
      name: "metadata",
      argv: ["metadata", "{in}", "--title", "X", "--password", "", "--out", "{out}"],
      check: "pdf",
    },
    {
      name: "rotate",
      argv: ["rotate", "{in}", "--by", "90", "--password", "", "--out", "{out}"],
      check: "pdf",
    },
    {
      name: "watermark",
      argv: ["watermark", "{in}", "--text", "Draft", "--password", "", "--out", "{out}"],
      check: "pdf",
    },
    {
      name: "extract",
      argv: ["extract", "{in}", "--pages", "1", "--password", "", "--out", "{out}"],
      check: "pdf",
    },
    { name: "split", argv: ["split", "{in}", "--every", "1000", "--password", "", "--out-dir", "{dir}"] },
    { name: "merge", argv: ["merge", "{in}", "{in}", "--password", "", "--out", "{out}"], check: "pdf" },
    {
      name: "fill",
      argv: ["fill", "{in}", "--data", "{}", "--password", "", "--out", "{out}"],
      check: "pdf",
    },
    { name: "encrypt", argv: ["encrypt", "{in}", "--password", "x", "--out", "{out}"] },
  ],
  docx: [
    { name: "info", argv: ["info", "{in}"] },
    { name: "read", argv: ["read", "{in}", "--format", "text", "--limit", "200000"] },
    { name: "tables", argv: ["tables", "{in}"] },
    { name: "images", argv: ["images", "{in}", "--out-dir", "{dir}"] },
    { name: "html", argv: ["read", "{in}", "--format", "html"] },
    { name: "tags", argv: ["tags", "{in}"] },
    {
      name: "replace",
      argv: ["replace", "{in}", "--find", "e", "--with", "E", "--out", "{out}"],
      check: "office",
    },
    { name: "add", argv: ["add", "{in}", "-", "--out", "{out}"], check: "office" },
    { name: "merge", argv: ["merge", "{in}", "{in}", "--out", "{out}"], check: "office" },
    {
      name: "fill",
      argv: ["fill", "{in}", "--data", "{}", "--allow-missing", "--out", "{out}"],
      check: "office",
    },
    { name: "accept", argv: ["changes", "{in}", "--accept", "--out", "{out}"], check: "office" },
    { name: "metadata", argv: ["metadata", "{in}", "--title", "X", "--out", "{out}"], check: "office" },
    { name: "template", argv: ["create", "-", "--template", "{in}", "--out", "{out}"], check: "office" },
  ],
  pptx: [
    { name: "info", argv: ["info", "{in}"] },
    { name: "read", argv: ["read", "{in}", "--limit", "200000"] },
    { name: "images", argv: ["images", "{in}", "--out-dir", "{dir}"] },
    {
      name: "replace",
      argv: ["replace", "{in}", "--find", "e", "--with", "E", "--out", "{out}"],
      check: "office",
    },
    { name: "add", argv: ["add", "{in}", "-", "--out", "{out}"], check: "office" },
    { name: "duplicate", argv: ["duplicate", "{in}", "--slides", "1", "--out", "{out}"], check: "office" },
    { name: "delete", argv: ["delete", "{in}", "--slides", "1", "--out", "{out}"], check: "office" },
    {
      name: "reorder",
      argv: ["reorder", "{in}", "--slides", "last", "--to", "1", "--out", "{out}"],
      check: "office",
    },
    { name: "merge", argv: ["merge", "{in}", "{in}", "--out", "{out}"], check: "office" },
    {
      name: "notes",
      argv: ["notes", "{in}", "--slide", "1", "--text", "Say it", "--out", "{out}"],
      check: "office",
    },
    { name: "metadata", argv: ["metadata", "{in}", "--title", "X", "--out", "{out}"], check: "office" },
    { name: "template", argv: ["create", "-", "--template", "{in}", "--out", "{out}"], check: "office" },
  ],
  xlsx: [
    { name: "info", argv: ["info", "{in}"] },
    { name: "read", argv: ["read", "{in}"] },
    { name: "csv", argv: ["convert", "{in}", "--out", "{dir}/sheet.csv"] },
    { name: "set", argv: ["set", "{in}", "XFD9999=1", "--out", "{out}"], check: "xlsx" },
    step("append", { op: "append", rows: [["x", 1]] }),
    step("insert-rows", { op: "insert-rows", at: 2, count: 2 }),
    step("delete-rows", { op: "delete-rows", at: 900_000, count: 1 }),
    step("replace", { op: "replace", find: "e", with: "E" }),
    step("add-sheet", { op: "add-sheet", name: "Corpus", rows: [["x"]] }),
    step("format", { op: "format", range: "A1:C3", bold: true }),
    { name: "merge", argv: ["merge", "{in}", "{in}", "--out", "{out}"], check: "xlsx" },
    { name: "split", argv: ["split", "{in}", "--out-dir", "{dir}"] },
  ],
};

function step(name: string, value: object): Operation {
  return { name, argv: ["edit", "{in}", "--steps", json([value]), "--out", "{out}"], check: "xlsx" };
}
