import type { HighlighterCore, LanguageRegistration } from "shiki/core";

/** A piece of a line with its theme color. */
export interface CodePiece {
  readonly text: string;
  readonly color?: string | undefined;
  readonly isItalic: boolean;
  readonly isBold: boolean;
}

type Grammar = () => Promise<{ readonly default: LanguageRegistration[] }>;

const grammars: Readonly<Record<string, Grammar>> = {
  css: () => import("shiki/langs/css.mjs"),
  diff: () => import("shiki/langs/diff.mjs"),
  go: () => import("shiki/langs/go.mjs"),
  html: () => import("shiki/langs/html.mjs"),
  ini: () => import("shiki/langs/ini.mjs"),
  javascript: () => import("shiki/langs/javascript.mjs"),
  json: () => import("shiki/langs/json.mjs"),
  markdown: () => import("shiki/langs/markdown.mjs"),
  python: () => import("shiki/langs/python.mjs"),
  rust: () => import("shiki/langs/rust.mjs"),
  shellscript: () => import("shiki/langs/shellscript.mjs"),
  sql: () => import("shiki/langs/sql.mjs"),
  toml: () => import("shiki/langs/toml.mjs"),
  tsx: () => import("shiki/langs/tsx.mjs"),
  typescript: () => import("shiki/langs/typescript.mjs"),
  xml: () => import("shiki/langs/xml.mjs"),
  yaml: () => import("shiki/langs/yaml.mjs"),
};

const MOST_CHARACTERS = 200_000;
const MOST_COLUMNS = 1000;
const LINE_MS = 100;

/** Highlights the lines of a text; undefined when the language has no grammar or the text is too long. */
export async function highlight(
  lines: readonly string[],
  language: string,
): Promise<readonly (readonly CodePiece[])[] | undefined> {
  const text = lines.join("\n");
  const grammar = Object.hasOwn(grammars, language) ? grammars[language] : undefined;
  if (grammar === undefined || text.length > MOST_CHARACTERS) return undefined;
  const shiki = await highlighter();
  // The frontmatter is written in another language than the rest.
  if (language === "markdown" && grammars["yaml"] !== undefined) await shiki.loadLanguage(grammars["yaml"]);
  await shiki.loadLanguage(grammar);
  const tokens = shiki.codeToTokensBase(text, {
    lang: language,
    theme: "skillhold",
    tokenizeMaxLineLength: MOST_COLUMNS,
    tokenizeTimeLimit: LINE_MS,
  });
  return tokens.map((line) =>
    line.map(({ content, color, fontStyle = 0 }) => ({
      text: content,
      color,
      isItalic: (fontStyle & 1) !== 0,
      isBold: (fontStyle & 2) !== 0,
    })),
  );
}

let made: Promise<HighlighterCore> | undefined;

/** The shared highlighter of the page. Its colors are theme variables, so light and dark mode share one result. */
function highlighter(): Promise<HighlighterCore> {
  made ??= makeHighlighter();
  return made;
}

async function makeHighlighter(): Promise<HighlighterCore> {
  const [{ createHighlighterCore, createCssVariablesTheme }, { createJavaScriptRegexEngine }] =
    await Promise.all([import("shiki/core"), import("shiki/engine/javascript")]);
  return await createHighlighterCore({
    themes: [createCssVariablesTheme({ name: "skillhold", variablePrefix: "--code-", fontStyle: true })],
    langs: [],
    // No WebAssembly: the page's policy forbids it.
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
}
