/** An error that a cell shows, such as `#DIV/0!`. Libraries know errors by their class. */
export class CellError extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

export type Scalar = number | string | boolean | null | CellError;
/** Rows of cells. */
export type Matrix = readonly (readonly Scalar[])[];
export type CalculatedValue = Scalar | Matrix;

/** Thrown for a formula that the built-in engine leaves to a spreadsheet program. */
export class NotCalculable extends Error {}

export function isMatrix(value: CalculatedValue): value is Matrix {
  return Array.isArray(value);
}

export function toNumber(value: Scalar): number | CellError {
  if (value instanceof CellError) return value;
  if (value === null) return 0;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "number") return value;
  const text = value.trim();
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : new CellError("#VALUE!");
}

export function toText(value: Scalar): string | CellError {
  if (value instanceof CellError) return value;
  if (value === null) return "";
  if (typeof value === "boolean") return value ? "TRUE" : "FALSE";
  return typeof value === "number" ? formatNumber(value) : value;
}

/** Spreadsheets show and join at most 15 digits. */
function formatNumber(value: number): string {
  return String(Number(value.toPrecision(15)));
}

export function toBoolean(value: Scalar): boolean | CellError {
  if (value instanceof CellError || typeof value === "boolean") return value;
  if (value === null) return false;
  if (typeof value === "number") return value !== 0;
  const word = value.toUpperCase();
  return word === "TRUE" || word === "FALSE" ? word === "TRUE" : new CellError("#VALUE!");
}

/** Numbers come before text, and text before booleans. Text is compared without case; an empty cell is like its partner. */
export function compareScalars(one: Scalar, other: Scalar): number {
  const [first, second] = [fillEmpty(one, other), fillEmpty(other, one)];
  const rank = (value: Scalar) => ["number", "string", "boolean"].indexOf(typeof value);
  if (rank(first) !== rank(second)) return rank(first) - rank(second);
  if (typeof first === "string" && typeof second === "string") {
    const [a, b] = [first.toLowerCase(), second.toLowerCase()];
    return a < b ? -1 : a > b ? 1 : 0;
  }
  return Number(first) - Number(second);
}

function fillEmpty(value: Scalar, partner: Scalar): Scalar {
  if (value !== null) return value;
  if (typeof partner === "string") return "";
  return typeof partner === "boolean" ? false : 0;
}
