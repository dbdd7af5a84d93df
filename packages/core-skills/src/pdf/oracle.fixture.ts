import { execFileSync, spawnSync } from "node:child_process";

/** The independent readers come from Debian's packages; elsewhere, what they would prove is left to Linux. */
export const hasOracles = process.platform === "linux";

/** What qpdf finds wrong with a file; an empty text when it is sound. */
export function checkFile(path: string, password = ""): string {
  const { status, stdout, stderr } = spawnSync("qpdf", ["--check", `--password=${password}`, path], {
    encoding: "utf8",
  });
  return status === 0 ? "" : `${stdout}${stderr}`;
}

/** The text of a file as Poppler reads it, one string a page. */
export function readPages(path: string, password = ""): readonly string[] {
  const text = execFileSync("pdftotext", ["-layout", "-upw", password, path, "-"], { encoding: "utf8" });
  return text.split("\f").slice(0, -1);
}

/** The objects of a file, uncompressed, as text. */
export function readObjects(path: string): string {
  return execFileSync("qpdf", ["--qdf", "--object-streams=disable", path, "-"], { encoding: "latin1" });
}
