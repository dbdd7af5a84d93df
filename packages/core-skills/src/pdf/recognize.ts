import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram, runExternal } from "../shared/external-program.ts";
import type { InputFile } from "../shared/input-file.ts";
import { ScriptError, usageError } from "../shared/script-error.ts";
import { openPageImages } from "./page-image.ts";

/** The most pages that one call reads from their images. */
export const MAX_SCANS = 30;
const TIMEOUT_MS = 120_000;
/** The resolution that Tesseract works best with, in pixels per point. */
const SCALE = 300 / 72;
const LANGUAGES = /^[A-Za-z][\w-]{0,40}(\+[A-Za-z][\w-]{0,40}){0,9}$/;

export interface Scan {
  /** Returns the text that is drawn on a page, counted from 0. */
  read(index: number): Promise<string>;
  close(): void;
}

export interface ScanRequest {
  readonly file: InputFile;
  readonly password: string;
  /** As Tesseract names them: `eng`, `deu+eng`. */
  readonly languages: string;
}

/** Reads text from the images of pages with Tesseract, where it is installed. */
export async function openScan({ file, password, languages }: ScanRequest): Promise<Scan> {
  if (!LANGUAGES.test(languages))
    throw usageError("--ocr takes languages as Tesseract names them: eng, deu+eng.");
  const program = findProgram(["tesseract"], PLACES);
  if (program === undefined) {
    throw new ScriptError("TESSERACT_MISSING", "--ocr needs Tesseract, which is not installed here.", {
      hint: "Look at the pages with render, or run the command on a machine that has Tesseract.",
    });
  }
  const images = await openPageImages(file, password);
  const folder = mkdtempSync(join(tmpdir(), "scan-"));
  return {
    read: async (index) => {
      const path = join(folder, "page.png");
      writeFileSync(path, (await images.draw(index, SCALE)).png);
      const { code, stdout } = await runExternal(program, [path, "stdout", "-l", languages], TIMEOUT_MS);
      if (code === 0) return stdout.replaceAll("\f", "").trim();
      throw new ScriptError("OCR_FAILED", `Tesseract cannot read page ${index + 1} as ${languages}.`, {
        hint: "Check with `tesseract --list-langs` that the languages are installed.",
      });
    },
    close: () => {
      images.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

const PLACES = ["/opt/homebrew/bin", "C:\\Program Files\\Tesseract-OCR"];
