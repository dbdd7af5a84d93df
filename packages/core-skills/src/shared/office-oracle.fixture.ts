import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { pathToFileURL } from "node:url";

/** LibreOffice, where it is installed. It is large: a machine without it still has the other readers. */
export const soffice = ["/usr/bin/soffice", "/usr/local/bin/soffice"].find((path) => existsSync(path));

/**
 * Converts a file to another format in a folder with LibreOffice. Returns the path.
 *
 * Contract: the file is in a folder that the test deletes. The LibreOffice profile is in that folder as well, so
 * concurrent conversions do not collide, and only the first start in a folder is slow.
 */
export function convertInto(folder: string, path: string, to: string): string {
  if (soffice === undefined) throw new Error("LibreOffice is not installed.");
  const profile = pathToFileURL(join(dirname(path), "office-profile")).href;
  const argv = [
    `-env:UserInstallation=${profile}`,
    "--headless",
    "--convert-to",
    to,
    "--outdir",
    folder,
    path,
  ];
  execFileSync(soffice, argv, { stdio: "ignore", timeout: 300_000 });
  const [kind = to] = to.split(":");
  return join(folder, `${basename(path, extname(path))}.${kind}`);
}

/** The same, as bytes. */
export function convert(path: string, to: string): Buffer {
  return readFileSync(convertInto(mkdtempSync(join(dirname(path), "office-")), path, to));
}

/** The text of each page, as LibreOffice lays it out and Poppler reads it. */
export function pageTexts(path: string): readonly string[] {
  const text = execFileSync("pdftotext", ["-layout", "-", "-"], { input: convert(path, "pdf") }).toString();
  return text.split("\f").slice(0, -1);
}

export interface PackageReport {
  /** Missing parts, parts without a type, parts that are not XML, and duplicate ids. */
  readonly problems: readonly string[];
  /** The text of each part that has any, run after run. */
  readonly texts: Readonly<Record<string, string>>;
}

/** Opens a file with Python's own ZIP and XML readers. */
export function inspectPackage(path: string): PackageReport {
  const python = ["/usr/bin/python3", "/usr/local/bin/python3"].find((each) => existsSync(each)) ?? "python3";
  return JSON.parse(execFileSync(python, ["-c", INSPECT, path]).toString());
}

const INSPECT = `
import json, posixpath, sys, zipfile
import xml.etree.ElementTree as tree
archive = zipfile.ZipFile(sys.argv[1])
names = archive.namelist()
problems, texts, roots = [], {}, {}
if len(set(names)) != len(names): problems.append("a part stands twice")
for name in names:
    if name.endswith((".xml", ".rels")):
        try: roots[name] = tree.fromstring(archive.read(name))
        except Exception as error: problems.append(f"{name}: {error}")
types = roots["[Content_Types].xml"]
defaults = {each.get("Extension").lower() for each in types if each.get("Extension")}
overrides = [each.get("PartName") for each in types if each.get("PartName")]
if len(set(overrides)) != len(overrides): problems.append("a type stands twice")
for each in overrides:
    if each[1:] not in names: problems.append(f"type of missing {each}")
for name in names:
    if "/" + name not in overrides and name.rsplit(".", 1)[-1].lower() not in defaults and name != "[Content_Types].xml":
        problems.append(f"no type: {name}")
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
for name, root in roots.items():
    if name.endswith(".rels"):
        folder = posixpath.dirname(posixpath.dirname(name))
        ids = [each.get("Id") for each in root]
        if len(set(ids)) != len(ids): problems.append(f"{name}: an id stands twice")
        for each in root:
            target = posixpath.normpath(posixpath.join("/" + folder, each.get("Target"))).lstrip("/")
            if each.get("TargetMode") != "External" and target not in names: problems.append(f"{name}: no {target}")
        continue
    rels = roots.get(posixpath.join(posixpath.dirname(name), "_rels", posixpath.basename(name) + ".rels"))
    known = {each.get("Id") for each in rels} if rels is not None else set()
    drawings, found = [], []
    for element in root.iter():
        for key, value in element.attrib.items():
            if key.startswith(R) and value and value not in known: problems.append(f"{name}: {value} relates to nothing")
        local = element.tag.rsplit("}", 1)[-1] if isinstance(element.tag, str) else ""
        if local in ("docPr", "cNvPr") and "picture" not in element.tag: drawings.append(element.get("id"))
        if local == "t" and element.text: found.append(element.text)
    if len(set(drawings)) != len(drawings): problems.append(f"{name}: two drawings have one id")
    if found: texts[name] = "".join(found)
listed = [each.get("id") for root in roots.values() for each in root.iter() if isinstance(each.tag, str) and each.tag.rsplit("}", 1)[-1] in ("sldMasterId", "sldLayoutId")]
if len(set(listed)) != len(listed): problems.append("two masters or layouts have one id")
print(json.dumps({"problems": problems, "texts": texts}))
`;

/** The smallest PNG: one red pixel. */
export const tinyPng = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
