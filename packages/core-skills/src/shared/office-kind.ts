import { extname } from "node:path";
import type { OfficePackage } from "./office-package.ts";

const WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml";
const SLIDES = "application/vnd.openxmlformats-officedocument.presentationml";

/** The content type of the main part by the extension of the file. */
const TYPES: ReadonlyMap<string, string> = new Map([
  [".docx", `${WORD}.document.main+xml`],
  [".dotx", `${WORD}.template.main+xml`],
  [".docm", "application/vnd.ms-word.document.macroEnabled.main+xml"],
  [".dotm", "application/vnd.ms-word.template.macroEnabledTemplate.main+xml"],
  [".pptx", `${SLIDES}.presentation.main+xml`],
  [".potx", `${SLIDES}.template.main+xml`],
  [".ppsx", `${SLIDES}.slideshow.main+xml`],
  [".pptm", "application/vnd.ms-powerpoint.presentation.macroEnabled.main+xml"],
  [".potm", "application/vnd.ms-powerpoint.template.macroEnabled.main+xml"],
  [".ppsm", "application/vnd.ms-powerpoint.slideshow.macroEnabled.main+xml"],
]);

/** Relationships to parts that only files with macros may have. */
const MACRO_KINDS: ReadonlySet<string> = new Set(["vbaProject", "wordVbaData", "keyMapCustomizations"]);

/**
 * Makes a document the kind that its file name says, because Office refuses a file whose content type says otherwise.
 * Macros stay only in kinds that may have them. Returns whether macros were removed.
 */
export function fitKind(pkg: OfficePackage, main: string, path: string): boolean {
  const type = TYPES.get(extname(path).toLowerCase());
  if (type === undefined) return false;
  pkg.retype(main, type);
  return type.includes("macroEnabled") ? false : removeMacros(pkg, main);
}

function removeMacros(pkg: OfficePackage, part: string): boolean {
  const macros = pkg.relations(part).filter(({ kind }) => MACRO_KINDS.has(kind));
  for (const { id, target } of macros) {
    pkg.unrelate(part, id);
    if (!pkg.has(target)) continue;
    removeMacros(pkg, target);
    pkg.remove(target);
  }
  return macros.length > 0;
}
