import { PDFDict, PDFDocument, PDFName, PDFNumber } from "@cantoo/pdf-lib";
import type { OptionTable } from "../shared/command.ts";
import { type InputFile, readInput, readText } from "../shared/input-file.ts";
import { inputError, messageOf, type ScriptError, usageError } from "../shared/script-error.ts";
import type { ScriptIo } from "../shared/script-io.ts";
import { flattenGenerations } from "./object-generation.ts";
import { sweep } from "./sweep.ts";

/** The options of every command that opens a file. */
export const passwordOptions = {
  password: { type: "string", help: "The password of an encrypted input" },
  "password-file": { type: "string", value: "file", help: "Read the password from a file, or - for stdin" },
} as const satisfies OptionTable;

export interface PasswordRequest {
  readonly password?: string | undefined;
  readonly "password-file"?: string | undefined;
}

/** A document with the file that it was read from. */
export interface OpenedPdf {
  readonly file: InputFile;
  readonly document: PDFDocument;
  readonly isEncrypted: boolean;
  /** The password that opened the file; empty without one. */
  readonly password: string;
}

export async function readPassword(request: PasswordRequest, io: ScriptIo): Promise<string | undefined> {
  const file = request["password-file"];
  if (file === undefined) return request.password;
  if (request.password !== undefined) throw usageError("Give --password or --password-file, not both.");
  return (await readText(file, io)).replace(/\r?\n$/, "");
}

/**
 * Opens a file to change it. An encrypted file needs an explicit password, even an empty one, because the new file is not
 * encrypted and protection is never removed silently.
 */
export async function openToChange(path: string, request: PasswordRequest, io: ScriptIo): Promise<OpenedPdf> {
  const file = await readPdfFile(path, io);
  return openBytes(file, await readPassword(request, io));
}

/** Opens a file to read it. A file that opens without a password has an empty one. */
export async function openToRead(path: string, request: PasswordRequest, io: ScriptIo): Promise<OpenedPdf> {
  const file = await readPdfFile(path, io);
  return openBytes(file, (await readPassword(request, io)) ?? "");
}

export async function readPdfFile(path: string, io: ScriptIo): Promise<InputFile> {
  const file = await readInput(path, io);
  const head = Buffer.from(file.bytes.subarray(0, MARK_BYTES)).toString("latin1");
  const tail = Buffer.from(file.bytes.subarray(-MARK_BYTES)).toString("latin1");
  // Readers accept bytes before the header, and files whose first line is damaged.
  if (head.includes("%PDF-") || (tail.includes("startxref") && /\d obj\b/.test(head))) return file;
  throw inputError(
    "NOT_A_PDF",
    `${path} is not a PDF file.`,
    "The file does not begin with %PDF-. Check what it is.",
  );
}

const MARK_BYTES = 1024;

export async function openBytes(file: InputFile, password: string | undefined): Promise<OpenedPdf> {
  try {
    const options = { updateMetadata: false, parseSpeed: Number.POSITIVE_INFINITY };
    const found = await PDFDocument.load(file.bytes, { ...options, ignoreEncryption: true });
    if (found.isEncrypted && password === undefined) throw encryptedPdf(file);
    const document = found.isEncrypted
      ? restoreTrailer(
          await PDFDocument.load(file.bytes, { ...options, password: password ?? "" }),
          found,
          file,
        )
      : found;
    flattenGenerations(document.context);
    rejectUnfit(document, file);
    return { file, document, isEncrypted: found.isEncrypted, password: password ?? "" };
  } catch (error) {
    throw explain(error, file, password);
  }
}

/** The library misses trailers that are streams while it decrypts. Trailers are not encrypted. */
function restoreTrailer(document: PDFDocument, found: PDFDocument, file: InputFile): PDFDocument {
  const { Root, Info, ID } = found.context.trailerInfo;
  const { context } = document;
  if (Root === undefined || context.trailerInfo.Root?.toString() !== Root.toString()) {
    throw brokenPdf(file, "its root is not found behind the encryption");
  }
  context.trailerInfo = {
    Root,
    ...(Info === undefined ? {} : { Info }),
    ...(ID === undefined ? {} : { ID }),
  };
  sweep(context);
  return document;
}

/** The library accepts almost anything. A file that lost pages must not be the base of another one. */
function rejectUnfit(document: PDFDocument, file: InputFile): void {
  const pages = document.catalog.lookup(PDFName.of("Pages"));
  const declared = pages instanceof PDFDict ? pages.lookup(PDFName.of("Count")) : undefined;
  const count = pages instanceof PDFDict ? document.getPageCount() : 0;
  if (count === 0) throw brokenPdf(file, "it has no pages");
  if (count > MAX_PAGES) throw inputError("FILE_TOO_LARGE", `${file.path} has more than ${MAX_PAGES} pages.`);
  if (declared instanceof PDFNumber && declared.asNumber() > count) {
    throw brokenPdf(file, `of ${declared.asNumber()} pages it has ${count}`);
  }
  if (!Buffer.from(file.bytes.buffer, file.bytes.byteOffset, file.bytes.length).includes("startxref")) {
    throw brokenPdf(file, "its end is missing");
  }
}

const MAX_PAGES = 20_000;

function explain(error: unknown, file: InputFile, password: string | undefined): unknown {
  const message = messageOf(error);
  if (/NEEDS PASSWORD/.test(message)) return encryptedPdf(file);
  if (/password incorrect/i.test(message)) return password === "" ? encryptedPdf(file) : wrongPassword(file);
  if (error instanceof Error && error.name === "ScriptError") return error;
  // The message of the library is about its own code, not about the file.
  return brokenPdf(file, "its structure cannot be read", error);
}

export function encryptedPdf(file: InputFile): ScriptError {
  return inputError(
    "ENCRYPTED",
    `${file.path} is encrypted.`,
    "Ask for the password and pass it with --password. A file that opens without one has an empty password: --password ''.",
  );
}

export function wrongPassword(file: InputFile): ScriptError {
  return inputError("WRONG_PASSWORD", `The password does not open ${file.path}.`);
}

export function brokenPdf(file: InputFile, reason: string, cause?: unknown): ScriptError {
  return inputError(
    "BROKEN_FILE",
    `${file.path} is damaged: ${reason.replace(/\.+$/, "")}.`,
    "Ask for another copy, or open it in a viewer and print it to a new PDF.",
    cause,
  );
}
