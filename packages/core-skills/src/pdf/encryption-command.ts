import { defineCommand } from "../shared/command.ts";
import { chooseOutput, editOptions } from "../shared/output-file.ts";
import { inputError, ScriptError, usageError } from "../shared/script-error.ts";
import { openToChange, openToRead, passwordOptions, readPassword } from "./open-pdf.ts";
import { saveEdited, warnOfChange } from "./save-pdf.ts";

const operands = { label: "<file>", min: 1, max: 1 };

export const encryptCommand = defineCommand({
  name: "encrypt",
  summary: "Protect a file with a password (AES-256)",
  operands,
  options: {
    ...passwordOptions,
    password: { type: "string", help: "The password that opens the new file" },
    "password-file": {
      type: "string",
      value: "file",
      help: "Read that password from a file, or - for stdin",
    },
    "owner-password": { type: "string", help: "A second password that lifts the restrictions" },
    "no-print": { type: "boolean", help: "Ask viewers not to print" },
    "no-copy": { type: "boolean", help: "Ask viewers not to copy text" },
    "no-change": { type: "boolean", help: "Ask viewers not to change it" },
    ...editOptions,
  },
  details: `
Without --owner-password the same password does both. Restrictions are requests that viewers heed; only the
password protects. Encryption is random: two runs give different bytes.

Example: encrypt report.pdf --password-file secret.txt --out locked.pdf`,
  run: async ({ operands: [path = ""], options }, io) => {
    const password = await readPassword(options, io);
    if (password === undefined || password === "")
      throw usageError("Specify the password: --password-file <file>.");
    const opened = await openToRead(path, {}, io);
    if (opened.isEncrypted)
      throw inputError("ENCRYPTED", `${path} is encrypted already.`, "Use decrypt on it first.");
    const output = await chooseOutput(options, [opened.file], io);
    const warnings = warnOfChange(opened);
    opened.document.encrypt({
      userPassword: password,
      ownerPassword: options["owner-password"] ?? password,
      permissions: {
        printing: options["no-print"] === true ? false : "highResolution",
        copying: options["no-copy"] !== true,
        modifying: options["no-change"] !== true,
        annotating: options["no-change"] !== true,
        fillingForms: options["no-change"] !== true,
        documentAssembly: options["no-change"] !== true,
        contentAccessibility: true,
      },
    });
    return { ...(await saveEdited(opened, output, { password })), encryption: "AES-256", warnings };
  },
});

export const decryptCommand = defineCommand({
  name: "decrypt",
  summary: "Write an encrypted file without encryption, given its password",
  operands,
  options: { ...passwordOptions, ...editOptions },
  details: "Example: decrypt locked.pdf --password-file secret.txt --out open.pdf",
  run: async ({ operands: [path = ""], options }, io) => {
    const opened = await openToChange(path, options, io);
    if (!opened.isEncrypted) throw new ScriptError("NOT_ENCRYPTED", `${path} is not encrypted.`);
    const output = await chooseOutput(options, [opened.file], io);
    const warnings = warnOfChange(opened).filter((warning) => !warning.includes("is encrypted"));
    return { ...(await saveEdited(opened, output)), warnings };
  },
});
