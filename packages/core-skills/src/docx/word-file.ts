import { readInput } from "../shared/input-file.ts";
import { OfficePackage } from "../shared/office-package.ts";
import { childOf } from "../shared/office-xml.ts";
import { inputError } from "../shared/script-error.ts";
import type { ScriptIo } from "../shared/script-io.ts";
import type { XmlElement } from "../shared/xml.ts";
import { Numbering } from "./numbering.ts";
import { Styles } from "./styles.ts";

/** A Word document that was opened: its package, and where in it the text is. */
export class WordFile {
  readonly pkg: OfficePackage;
  /** The part with the body. */
  readonly main: string;

  constructor(pkg: OfficePackage) {
    this.pkg = pkg;
    this.main = findMain(pkg);
  }

  static async open(path: string, io: ScriptIo): Promise<WordFile> {
    return new WordFile(new OfficePackage(await readInput(path, io)));
  }

  get body(): XmlElement {
    const body = childOf(this.pkg.xml(this.main), "w:body");
    if (body === undefined) throw inputError("BROKEN_FILE", `${this.pkg.file.path} has no body.`);
    return body;
  }

  /** The body, to be changed. */
  editBody(): XmlElement {
    this.pkg.edit(this.main);
    return this.body;
  }

  get styles(): Styles {
    const part = this.part("styles");
    return new Styles(part === undefined ? undefined : this.pkg.xml(part));
  }

  get numbering(): Numbering {
    const part = this.part("numbering");
    return new Numbering(part === undefined ? undefined : this.pkg.xml(part));
  }

  /** The one part of that kind that the body relates to: `styles`, `footnotes`, `comments`. */
  part(kind: string): string | undefined {
    return this.parts(kind)[0];
  }

  parts(kind: string): readonly string[] {
    const targets = this.pkg.related(this.main, kind).map(({ target }) => target);
    return [...new Set(targets)].filter((name) => this.pkg.has(name));
  }

  /** Every part that holds text which people see on a page. */
  get stories(): readonly string[] {
    return [this.main, ...["header", "footer", "footnotes", "endnotes"].flatMap((kind) => this.parts(kind))];
  }
}

function findMain(pkg: OfficePackage): string {
  const main = pkg.related("", "officeDocument").find(({ target }) => pkg.has(target))?.target;
  if (main === undefined) throw inputError("NOT_AN_OFFICE_FILE", `${pkg.file.path} has no main part.`);
  const type = pkg.contentType(main) ?? "";
  if (type.includes("wordprocessingml") || type.includes("ms-word")) return main;
  const other = [
    ["presentationml", "a presentation", "pptx"],
    ["spreadsheetml", "a workbook", "xlsx"],
  ].find(([word = "?"]) => type.includes(word));
  throw inputError(
    "WRONG_KIND",
    `${pkg.file.path} is ${other?.[1] ?? "of a kind that is not known here"}, not a Word document.`,
    other === undefined ? undefined : `Use the ${other[2]} skill.`,
  );
}
