/** A piece of text in one style. */
export interface Inline {
  readonly text: string;
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly code?: boolean;
  readonly strike?: boolean;
  readonly href?: string;
}

export type Inlines = readonly Inline[];

export type Alignment = "left" | "center" | "right";

/** A document as a list of blocks: what Markdown and JSON descriptions are read to. */
export type Block =
  | { readonly type: "heading"; readonly level: number; readonly content: Inlines }
  | { readonly type: "paragraph"; readonly content: Inlines }
  | {
      readonly type: "list";
      readonly ordered: boolean;
      readonly start: number;
      readonly items: readonly Blocks[];
    }
  | {
      readonly type: "table";
      readonly header: readonly Inlines[];
      readonly align: readonly Alignment[];
      readonly rows: readonly (readonly Inlines[])[];
    }
  | { readonly type: "code"; readonly text: string; readonly language: string | undefined }
  | { readonly type: "quote"; readonly blocks: Blocks }
  | {
      readonly type: "image";
      readonly path: string;
      readonly alt: string;
      readonly width?: number | undefined;
    }
  | { readonly type: "rule" }
  | { readonly type: "pageBreak" };

export type Blocks = readonly Block[];

/** The text alone, without its styles. */
export function plainText(content: Inlines): string {
  return content.map(({ text }) => text).join("");
}
