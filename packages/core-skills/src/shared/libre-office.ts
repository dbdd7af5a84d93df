import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { findProgram, runExternal } from "./external-program.ts";
import type { InputFile } from "./input-file.ts";
import { ScriptError } from "./script-error.ts";

const TIMEOUT_MS = 120_000;
const PLACES = [
  "/Applications/LibreOffice.app/Contents/MacOS",
  "C:\\Program Files\\LibreOffice\\program",
  "/opt/libreoffice/program",
];

/** The program of LibreOffice; undefined where it is not installed. */
export function findLibreOffice(): string | undefined {
  return findProgram(["soffice", "libreoffice"], PLACES);
}

/**
 * Lets LibreOffice open a document and save it as another kind. Each call has its own profile, so that it neither meets
 * another call nor changes the user's settings.
 */
export async function convertWithLibreOffice(
  file: InputFile,
  extension: string,
  to: string,
): Promise<Uint8Array> {
  const program = findLibreOffice();
  if (program === undefined) {
    throw new ScriptError(
      "LIBREOFFICE_MISSING",
      "This command needs LibreOffice, which is not installed here.",
      {
        hint: "Install LibreOffice, or run the command on a machine that has it.",
      },
    );
  }
  const folder = mkdtempSync(join(tmpdir(), "office-"));
  try {
    const source = join(folder, `source${extension}`);
    writeFileSync(source, file.bytes);
    const out = join(folder, "out");
    const argv = [
      `-env:UserInstallation=${pathToFileURL(join(folder, "profile")).href}`,
      "--headless",
      "--norestore",
      "--convert-to",
      to,
      "--outdir",
      out,
      source,
    ];
    await runExternal(program, argv, TIMEOUT_MS);
    const [made] = existsSync(out) ? readdirSync(out) : [];
    if (made === undefined) {
      throw new ScriptError("CONVERSION_FAILED", `LibreOffice cannot open ${file.path}.`, {
        hint: "Check the file with info.",
      });
    }
    return new Uint8Array(readFileSync(join(out, made)));
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
