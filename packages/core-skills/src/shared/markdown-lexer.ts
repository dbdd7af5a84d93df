import { Lexer, type MarkedToken, type Token, Tokenizer, type Tokens, type TokensList } from "marked";
import { inputError, type ScriptError } from "./script-error.ts";

/** Splits Markdown, with tables and bare addresses as GitHub has them, into tokens. */
export function lexMarkdown(text: string): readonly MarkedToken[] {
  rejectLong(text);
  return known(new BoundedLexer().lex(text));
}

/** The tokens of one piece of inline text, which cannot begin a block. */
export function lexInline(text: string): readonly MarkedToken[] {
  rejectLong(text);
  return known(new BoundedLexer().inlineTokens(text));
}

/** Whether a `hr` token is a page break: `<!-- pagebreak -->`, `\newpage` or `\pagebreak` on a line of its own. */
export function isPageBreak(token: Tokens.Hr): boolean {
  return PAGE_BREAK.test(token.raw);
}

/** Tokens of other types come only from extensions, and the lexer is used without extensions. */
export function known(tokens: readonly Token[]): readonly MarkedToken[] {
  return tokens as readonly MarkedToken[];
}

const MAX_LENGTH = 1_000_000;
const MAX_TEXTS = 200_000;
const MAX_DEPTH = 12;
/** A quotation is read again for each of its lines that lacks the mark. */
const MAX_QUOTE = 20_000;
/** The lexer looks ahead from every mark, so its time grows with the square of the input length. */
const PIECE = 8000;

const PAGE_BREAK = /^ {0,3}(?:<!--[ \t]*pagebreak[ \t]*-->|\\newpage|\\pagebreak)[ \t]*(?:\n|$)/i;
const PAGE_BREAK_LATER = /\n {0,3}(?:\\newpage|\\pagebreak)[ \t]*(?:\n|$)/i;

function rejectLong(text: string): void {
  if (text.length > MAX_LENGTH) throw tooLong(`${text.length} characters; at most ${MAX_LENGTH} are read`);
}

function tooLong(what: string): ScriptError {
  return inputError("MARKDOWN_TOO_LONG", `The Markdown has ${what}.`, "Divide it into several documents.");
}

/** Treats text that is nested too deeply as plain text, and reads very long text in pieces. */
class BoundedLexer extends Lexer {
  #blockDepth = 0;
  #inlineDepth = 0;
  #texts = 0;

  constructor() {
    super({ gfm: true, tokenizer: new PageTokenizer() });
    // The rules are chosen by now. All that the option would still do is take the boxes of tasks out of their text.
    this.options.gfm = false;
  }

  override blockTokens(src: string, tokens?: Token[], isClipped?: boolean): Token[];
  override blockTokens(src: string, tokens?: TokensList, isClipped?: boolean): TokensList;
  override blockTokens(src: string, tokens: Token[] = [], isClipped?: boolean): Token[] {
    if (this.#blockDepth >= MAX_DEPTH) {
      // As the lexer does at the end of each run.
      this.state.top = true;
      tokens.push({ type: "paragraph", raw: src, text: src, tokens: this.inline(src) });
      return tokens;
    }
    this.#blockDepth += 1;
    super.blockTokens(src, tokens, isClipped);
    this.#blockDepth -= 1;
    return tokens;
  }

  /** Is called for every paragraph, heading and cell. */
  override inline(src: string, tokens: Token[] = []): Token[] {
    this.#texts += 1;
    if (this.#texts > MAX_TEXTS) throw tooLong(`more than ${MAX_TEXTS} texts and cells`);
    return super.inline(src, tokens);
  }

  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    if (this.#inlineDepth >= MAX_DEPTH) {
      tokens.push({ type: "text", raw: src, text: src });
      return tokens;
    }
    this.#inlineDepth += 1;
    for (const piece of cut(src)) super.inlineTokens(piece, tokens);
    this.#inlineDepth -= 1;
    return tokens;
  }
}

/** Cuts at the last blank that fits, where a style is least likely to be cut in two. */
function* cut(text: string): Generator<string> {
  let from = 0;
  while (text.length - from > PIECE) {
    const blank = Math.max(text.lastIndexOf(" ", from + PIECE), text.lastIndexOf("\n", from + PIECE));
    const end = blank > from ? blank : from + PIECE;
    yield text.slice(from, end);
    from = end;
  }
  yield text.slice(from);
}

/** Takes page breaks for rules. */
class PageTokenizer extends Tokenizer {
  override hr(src: string): Tokens.Hr | undefined {
    const found = PAGE_BREAK.exec(src);
    return found === null ? super.hr(src) : { type: "hr", raw: found[0] };
  }

  override blockquote(src: string): Tokens.Blockquote | undefined {
    const length = this.rules.block.blockquote.exec(src)?.[0].length ?? 0;
    if (length > MAX_QUOTE)
      throw tooLong(`a quotation of ${length} characters; at most ${MAX_QUOTE} are read`);
    return super.blockquote(src);
  }

  /** `[^1]: word` is a footnote, whose text would be lost as the target of a link. */
  override def(src: string): Tokens.Def | undefined {
    return /^ {0,3}\[\^/.test(src) ? undefined : super.def(src);
  }

  override lheading(src: string): Tokens.Heading | undefined {
    const whole = this.rules.block.lheading.exec(src)?.[0] ?? "";
    return PAGE_BREAK_LATER.test(whole) ? undefined : super.lheading(src);
  }

  override paragraph(src: string): Tokens.Paragraph | undefined {
    const whole = this.rules.block.paragraph.exec(src)?.[0] ?? "";
    const end = whole.search(PAGE_BREAK_LATER);
    return super.paragraph(end === -1 ? src : src.slice(0, end + 1));
  }
}
