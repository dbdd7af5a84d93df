import { isFunction, isReference, parse, type Token, tokenize } from "@borgar/fx/xlsx";
import { clip } from "../shared/bounded.ts";
import { ScriptError } from "../shared/script-error.ts";
import { bareName, functionPrefix, isSheetDependent, isSpilling } from "./function-list.ts";

export interface StoredFormula {
  /** The formula as files store it: newer functions have a prefix. */
  readonly text: string;
  /** Whether the result may fill more cells than its own. */
  readonly isSpilling: boolean;
}

export interface FormulaOptions {
  /** Accept functions that Excel does not have, such as those of macros and add-ins. */
  readonly hasCustomFunctions?: boolean;
}

/** Checks a formula as a caller writes it, without `=`, and turns it into the form that files store. */
export function storeFormula(text: string, options: FormulaOptions = {}): StoredFormula {
  const tokens = tokenize(text, { mergeRefs: true });
  rejectInvalid(text, tokens);
  const functions = tokens.filter(isFunction).map(({ value }) => value);
  const locals = localNames(tokens);
  if (options.hasCustomFunctions !== true) rejectUnknown(text, functions, locals);
  const stored = tokens.map((token, index) => storeToken(token, tokens[index + 1], locals));
  return {
    text: stored.join(""),
    isSpilling: functions.some(isSpilling) || tokens.some(isSpillMark),
  };
}

/** Whether a rename, a new sheet or a new order of sheets may change the result of a stored formula. */
export function dependsOnSheetList(formula: string): boolean {
  if (!/INDIRECT|SHEET|CELL|INFO|FORMULATEXT|:[^!(),]*!/i.test(formula)) return false;
  const tokens = tokenize(formula, { mergeRefs: true });
  return tokens.some(
    (token) =>
      (isFunction(token) && isSheetDependent(token.value)) ||
      (isReference(token) && /^[^!]*:[^!]*!/.test(token.value)),
  );
}

function rejectInvalid(text: string, tokens: Token[]): void {
  const problem = problemOf(text, tokens);
  if (problem === undefined) return;
  throw new ScriptError("INVALID_FORMULA", `=${clip(text, 80)} is not a valid formula: ${problem}.`, {
    hint: 'Write formulas as Excel has them in English: commas between arguments, a point in decimals. Text is {"text": "…"}.',
  });
}

function problemOf(text: string, tokens: Token[]): string | undefined {
  if (text.trim() === "") return "it is empty";
  try {
    parse(tokens, { permitArrayRanges: true, permitArrayCalls: true });
    return undefined;
  } catch (error) {
    const values = tokens.map(({ value }) => value);
    const count = (value: string) =>
      values.filter((each) => each === value || (value === "(" && each.endsWith("("))).length;
    if (count("(") !== count(")")) return "its parentheses do not match";
    if (!values.includes("{") && values.includes(";")) return "arguments are separated by commas, not by ;";
    return error instanceof Error ? error.message.toLowerCase() : "it cannot be parsed";
  }
}

function rejectUnknown(text: string, functions: readonly string[], locals: ReadonlySet<string>): void {
  const unknown = functions.find(
    (name) => functionPrefix(bareName(name)) === undefined && !locals.has(name.toUpperCase()),
  );
  if (unknown === undefined) return;
  throw new ScriptError(
    "UNKNOWN_FUNCTION",
    `=${clip(text, 80)} uses ${clip(unknown, 40)}, which Excel does not have.`,
    {
      hint: 'Function names are English: SUM, not SUMME. For a macro or add-in: {"formula": "…", "custom": true}.',
    },
  );
}

/** The names that LET and LAMBDA define, in capitals. */
function localNames(tokens: readonly Token[]): ReadonlySet<string> {
  const names = new Set<string>();
  const calls: { readonly name: string; argument: number; parts: string[] }[] = [];
  for (const [index, token] of tokens.entries()) {
    const call = calls.at(-1);
    const { value } = token;
    if (value === "(") {
      call?.parts.push(value);
      const before = tokens[index - 1];
      const name = before !== undefined && isFunction(before) ? bareName(before.value) : "";
      calls.push({ name, argument: 0, parts: [] });
    } else if (value === ")") calls.pop();
    else if (value === "," && call !== undefined) {
      const isName = call.name === "LAMBDA" || (call.name === "LET" && call.argument % 2 === 0);
      const [name, ...others] = call.parts;
      if (isName && name !== undefined && others.length === 0) names.add(name.toUpperCase());
      call.argument += 1;
      call.parts = [];
    } else if (value.trim() !== "") call?.parts.push(value);
  }
  return names;
}

function isSpillMark(token: Token): boolean {
  return token.type === "operator" && token.value === "#";
}

function storeToken(token: Token, next: Token | undefined, locals: ReadonlySet<string>): string {
  const { value } = token;
  const isLocal = locals.has(value.toUpperCase());
  if (isLocal) return `_xlpm.${value}`;
  if (isFunction(token)) {
    const name = bareName(value);
    const prefix = functionPrefix(name);
    return prefix === undefined ? value : `${prefix}${name}`;
  }
  if (isSpillMark(token)) return ")";
  return next !== undefined && isSpillMark(next) ? `_xlfn.ANCHORARRAY(${value}` : value;
}
