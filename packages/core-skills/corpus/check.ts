import { spawnSync } from "node:child_process";

/**
 * Compares a result with what other programs see. Returns what is wrong; undefined when nothing is, or when the other
 * program is not installed or cannot read the source itself.
 */
export function checkResult(
  kind: string,
  input: string,
  output: string,
  answer: unknown,
): string | undefined {
  switch (kind) {
    case "text":
      return checkText(input, answer);
    case "pdf":
      return checkPdf(input, output);
    case "office":
    case "xlsx":
      return checkPackage(input, output, kind);
    default:
      return undefined;
  }
}

function run(program: string, args: readonly string[]) {
  return spawnSync(program, args, { encoding: "utf8", timeout: 60_000, maxBuffer: 1 << 28 });
}

/** Poppler finds text where the script found none. */
function checkText(input: string, answer: unknown): string | undefined {
  const { status, stdout } = run("pdftotext", [input, "-"]);
  if (status !== 0) return undefined;
  const text = typeof answer === "object" && answer !== null && "text" in answer ? String(answer.text) : "";
  const own = text.replace(/^=== page \d+ ===$/gm, "").replace(/\s/g, "");
  const other = stdout.replace(/\s/g, "");
  return other.length >= 20 && own.length < other.length * 0.2
    ? `${own.length} of ${other.length} characters`
    : undefined;
}

function checkPdf(input: string, output: string): string | undefined {
  const before = run("qpdf", ["--check", input]);
  const after = run("qpdf", ["--check", output]);
  if (before.status !== 0 || after.status === null || after.status === 0) return undefined;
  return `qpdf: ${after.stderr.split("\n").at(0) ?? ""}`;
}

function checkPackage(input: string, output: string, kind: string): string | undefined {
  const { status, stdout, stderr } = run("python3", ["-c", INSPECT, input, output, kind]);
  if (status !== 0) return stderr.includes("SOURCE") ? undefined : stderr.trim().split("\n").at(-1);
  return stdout.trim() === "" ? undefined : stdout.trim().slice(0, 200);
}

/** Python's own ZIP and XML readers: content types, relationships, well-formed parts, and formulas of workbooks. */
const INSPECT = `
import posixpath, re, sys, zipfile
import xml.etree.ElementTree as tree
def look(path):
    archive = zipfile.ZipFile(path)
    names = archive.namelist()
    problems, formulas, empty = set(), 0, 0
    roots = {}
    for name in names:
        if name.endswith((".xml", ".rels")):
            try: roots[name] = tree.fromstring(archive.read(name))
            except Exception: problems.add("not XML: " + name)
    types = roots["[Content_Types].xml"]
    defaults = {e.get("Extension").lower() for e in types if e.get("Extension")}
    overrides = {e.get("PartName").lower() for e in types if e.get("PartName")}
    for name in names:
        if name.endswith("/") or name == "[Content_Types].xml": continue
        if "/" + name.lower() not in overrides and name.rsplit(".", 1)[-1].lower() not in defaults: problems.add("no type: " + re.sub(r"\\d+", "N", name))
    for name, root in roots.items():
        if "worksheets/" in name:
            for f in root.iter("{http://schemas.openxmlformats.org/spreadsheetml/2006/main}f"):
                formulas += 1
                if not f.text and f.get("t") != "shared" and f.get("t") != "dataTable": empty += 1
    return problems, formulas, empty
try: before = look(sys.argv[1])
except Exception as error: sys.exit("SOURCE " + str(error))
after = look(sys.argv[2])
found = sorted(after[0] - before[0])
if sys.argv[3] == "xlsx":
    if after[1] < before[1]: found.append(f"formulas {before[1]} -> {after[1]}")
    if after[2] > before[2]: found.append(f"empty formulas {before[2]} -> {after[2]}")
print("; ".join(found))
`;
