import * as formulajs from "@formulajs/formulajs";
import {
  type CalculatedValue,
  CellError,
  isMatrix,
  NotCalculable,
  type Scalar,
  toNumber,
  toText,
} from "./calculation-value.ts";
import { isoToSerial, serialToIso } from "./serial-date.ts";

/**
 * Calls a function of the built-in engine. Only functions whose results agree with spreadsheet programs are here; all
 * others, and the uses of these that differ between programs, are left to a spreadsheet program.
 */
export function callFunction(name: string, values: readonly CalculatedValue[]): CalculatedValue {
  const test = tests.get(name);
  if (test !== undefined) return test(single(values[0] ?? null));
  if (name === "COUNT") return numbersOf(values).length;
  if (name === "COUNTA")
    return values
      .flatMap((value) => (isMatrix(value) ? value.flat() : [value]))
      .filter((each) => each !== null).length;
  const error = firstError(values);
  if (name === "LARGE") return error ?? nth(values, (a, b) => b - a);
  if (name === "SMALL") return error ?? nth(values, (a, b) => a - b);
  const own = ownFunctions.get(name);
  if (own !== undefined) return error ?? own(values.map(single));
  const library = LIBRARY.get(name);
  if (library === undefined) throw new NotCalculable(`${name} is not built in`);
  if (error !== undefined && /IFS?$|COUNTBLANK/.test(name))
    throw new NotCalculable("errors in a range with criteria");
  if (error !== undefined) return error;
  if (AGGREGATES.has(name)) return aggregate(name, library, values);
  rejectDifferences(name, values);
  return fromLibrary(library(...values.map((value, index) => prepare(name, value, index))));
}

/** Functions over the numbers of ranges, which leave text, booleans and empty cells out. */
const AGGREGATES: ReadonlySet<string> = new Set(
  "SUM AVERAGE MIN MAX MEDIAN PRODUCT SUMSQ STDEV STDEV.S STDEV.P VAR VAR.S VAR.P GCD LCM".split(" "),
);
/** Functions that take whole ranges in some argument. */
const RANGED: ReadonlySet<string> = new Set(
  (
    "COUNTBLANK COUNTIF COUNTIFS SUMIF SUMIFS AVERAGEIF AVERAGEIFS MAXIFS MINIFS SUMPRODUCT AND OR CONCAT TEXTJOIN " +
    "VLOOKUP HLOOKUP MATCH INDEX NPV"
  ).split(" "),
);
const TEXTUAL: ReadonlySet<string> = new Set(
  "LEFT RIGHT MID LEN TRIM UPPER LOWER SUBSTITUTE FIND SEARCH REPT CONCATENATE EXACT".split(" "),
);
const LOGICAL: ReadonlySet<string> = new Set("AND OR NOT VLOOKUP HLOOKUP MATCH INDEX TEXTJOIN".split(" "));
const SAME =
  "COUNTBLANK COUNTIF COUNTIFS SUMIF SUMIFS AVERAGEIF AVERAGEIFS MAXIFS MINIFS SUMPRODUCT INT TRUNC " +
  "ABS SQRT POWER SIGN EXP LN LOG LOG10 PI AND OR NOT LEFT RIGHT MID LEN TRIM UPPER LOWER CONCATENATE CONCAT " +
  "TEXTJOIN SUBSTITUTE FIND SEARCH REPT EXACT VLOOKUP HLOOKUP MATCH INDEX PMT FV PV NPER NPV TEXT FACT EVEN ODD RADIANS " +
  "DEGREES SIN COS TAN ASIN ACOS ATAN SUM AVERAGE MIN MAX MEDIAN PRODUCT SUMSQ GCD LCM";
const RENAMED: Readonly<Record<string, string>> = {
  STDEV: "STDEVS",
  "STDEV.S": "STDEVS",
  "STDEV.P": "STDEVP",
  VAR: "VARS",
  "VAR.S": "VARS",
  "VAR.P": "VARP",
};

type LibraryFunction = (...values: readonly CalculatedValue[]) => unknown;

const LIBRARY: ReadonlyMap<string, LibraryFunction> = new Map(
  [...SAME.split(" ").map((name) => [name, name] as const), ...Object.entries(RENAMED)].flatMap(
    ([name, key]) => {
      // The exports of the library are functions by name.
      const found = (formulajs as unknown as Readonly<Record<string, unknown>>)[key];
      return typeof found === "function" ? [[name, found as LibraryFunction] as const] : [];
    },
  ),
);

const tests: ReadonlyMap<string, (value: Scalar) => boolean> = new Map<string, (value: Scalar) => boolean>([
  ["ISERROR", (value) => value instanceof CellError],
  ["ISERR", (value) => value instanceof CellError && value.code !== "#N/A"],
  ["ISNA", (value) => value instanceof CellError && value.code === "#N/A"],
  ["ISBLANK", (value) => value === null],
  ["ISNUMBER", (value) => typeof value === "number"],
  ["ISTEXT", (value) => typeof value === "string"],
  ["ISLOGICAL", (value) => typeof value === "boolean"],
]);

function numbersOf(values: readonly CalculatedValue[]): readonly number[] {
  return values.flatMap((value) => {
    if (isMatrix(value)) return value.flat().filter((each) => typeof each === "number");
    if (typeof value === "string" || typeof value === "boolean")
      throw new NotCalculable("text or a boolean among numbers");
    return typeof value === "number" ? [value] : [];
  });
}

function aggregate(name: string, library: LibraryFunction, values: readonly CalculatedValue[]): Scalar {
  const numbers = numbersOf(values);
  if (numbers.length === 0) {
    if (["SUM", "MIN", "MAX", "SUMSQ"].includes(name)) return 0;
    if (name === "AVERAGE") return new CellError("#DIV/0!");
    throw new NotCalculable("no numbers");
  }
  const result = fromLibrary(library([numbers]));
  return isMatrix(result) ? new CellError("#VALUE!") : result;
}

/** One argument as the library takes it. */
function prepare(name: string, value: CalculatedValue, index: number): CalculatedValue {
  if (isMatrix(value)) return RANGED.has(name) ? value : single(value);
  if (typeof value === "boolean" && !LOGICAL.has(name))
    throw new NotCalculable("a boolean among numbers or text");
  const isText =
    name === "CONCATENATE" ||
    name === "EXACT" ||
    (TEXTUAL.has(name) && (index === 0 || (index === 1 && ["FIND", "SEARCH"].includes(name))));
  return isText ? toText(value) : value;
}

/** Uses in which the library and spreadsheet programs differ. */
function rejectDifferences(name: string, values: readonly CalculatedValue[]): void {
  const texts = values.flatMap((value) => (typeof value === "string" ? [value] : []));
  const isCriteria = /IFS?$/.test(name);
  if (
    (isCriteria || name === "MATCH" || name === "SEARCH" || name.endsWith("LOOKUP")) &&
    texts.some((text) => /[*?~]/.test(text))
  )
    throw new NotCalculable("wildcards are left to a spreadsheet program");
  const hasRangeCriteria =
    isCriteria &&
    name !== "SUMIF" &&
    values
      .filter((_, index) => index % 2 === (name.startsWith("COUNT") ? 1 : 0))
      .slice(name.startsWith("COUNT") ? 0 : 1)
      .some((each) => isMatrix(each));
  if (hasRangeCriteria) throw new NotCalculable("criteria in a range");
  const isExact = (value: CalculatedValue | undefined) => value === false || value === 0;
  if (name.endsWith("LOOKUP") && !isExact(values[3])) throw new NotCalculable("approximate lookup");
  if (name === "MATCH" && !isExact(values[2])) throw new NotCalculable("approximate match");
  if (name === "TEXT" && !/^(#,##)?0(\.0+)?%?$/.test(String(values[1])))
    throw new NotCalculable("number formats");
  if (name === "SUMPRODUCT") rejectSizes(values);
  if (["AND", "OR", "NOT"].includes(name) && texts.length > 0) throw new NotCalculable("text among booleans");
  const numbers = values.filter((value) => typeof value === "number");
  if (
    TEXTUAL.has(name) &&
    (values.length > 3 || numbers.slice(name === "LEN" ? 1 : 0).some((each) => !Number.isInteger(each)))
  )
    throw new NotCalculable("a position that is not whole");
  if (name === "INDEX" && values.slice(1).some((value) => value === 0 || value === null))
    throw new NotCalculable("whole rows");
}

type OwnFunction = (values: readonly Scalar[]) => Scalar;

function rejectSizes(values: readonly CalculatedValue[]): void {
  const sizes = values.map((value) => (isMatrix(value) ? `${value.length}x${value[0]?.length}` : ""));
  if (sizes.includes("") || new Set(sizes).size !== 1) throw new NotCalculable("ranges of different sizes");
}

/** Rounds decimal digits and not binary ones: 0.05 to one digit is 0.1. */
function roundTo(value: number, digits: number, round: (value: number) => number): Scalar {
  const places = Math.trunc(digits);
  const shifted = Number(`${Math.abs(Number(value.toPrecision(15)))}e${places}`);
  if (Math.abs(places) > 15 || !Number.isFinite(shifted)) throw new NotCalculable("digits out of range");
  return Math.sign(value) * Number(`${round(shifted)}e${-places}`);
}

function nth(values: readonly CalculatedValue[], order: (a: number, b: number) => number): Scalar {
  const [list, place] = values;
  const index = typeof place === "number" ? Math.ceil(place) : Number.NaN;
  if (list === undefined || Number.isNaN(index)) throw new NotCalculable("a place that is not a number");
  return numbersOf([list]).toSorted(order)[index - 1] ?? new CellError("#NUM!");
}

/** Functions of our own: the library has dates of the local time zone, and rounds binary digits. */
const ownFunctions: ReadonlyMap<string, OwnFunction> = new Map<string, OwnFunction>([
  ["DATE", ([year, month, day]) => makeDate(number(year), number(month) - 1, number(day))],
  ["YEAR", ([serial]) => partsOf(serial)[0]],
  ["MONTH", ([serial]) => partsOf(serial)[1]],
  ["DAY", ([serial]) => partsOf(serial)[2]],
  ["EDATE", ([serial, months]) => addMonths(serial, number(months))],
  [
    "EOMONTH",
    ([serial, months]) => {
      const [year, month] = partsOf(serial);
      return makeDate(year, month + Math.trunc(number(months)), 0);
    },
  ],
  ["ROUND", ([value, digits]) => roundTo(number(value), number(digits), Math.round)],
  ["ROUNDUP", ([value, digits]) => roundTo(number(value), number(digits), Math.ceil)],
  ["ROUNDDOWN", ([value, digits]) => roundTo(number(value), number(digits), Math.floor)],
  [
    "MOD",
    ([value, divisor]) => {
      const [a, b] = [number(value), number(divisor)];
      return b === 0 ? new CellError("#DIV/0!") : a - b * Math.floor(a / b);
    },
  ],
  ["N", ([value]) => (typeof value === "number" ? value : typeof value === "boolean" ? Number(value) : 0)],
  ["TRUE", () => true],
  ["FALSE", () => false],
]);

function number(value: Scalar | undefined): number {
  const found = toNumber(value ?? null);
  if (found instanceof CellError) throw new NotCalculable("a date is text");
  return found;
}

function makeDate(year: number, monthIndex: number, day: number): number {
  // Spreadsheets have a 29 February 1900, which never was.
  if (year < 1901 || year > 9999) throw new NotCalculable("a date out of range");
  const iso = new Date(Date.UTC(year, monthIndex, Math.trunc(day))).toISOString().slice(0, 10);
  const serial = isoToSerial(iso, false);
  if (serial === undefined) throw new NotCalculable("a date out of range");
  return serial;
}

function partsOf(serial: Scalar | undefined): readonly [number, number, number] {
  const iso = serialToIso(Math.floor(number(serial)), false);
  const found = /^(\d{4})-(\d\d)-(\d\d)/.exec(iso ?? "");
  if (found === null) throw new NotCalculable("a date out of range");
  return [Number(found[1]), Number(found[2]), Number(found[3])];
}

function addMonths(serial: Scalar | undefined, months: number): number {
  const [year, month, day] = partsOf(serial);
  const last = new Date(Date.UTC(year, month + Math.trunc(months), 0)).getUTCDate();
  return makeDate(year, month - 1 + Math.trunc(months), Math.min(day, last));
}

function single(value: CalculatedValue): Scalar {
  if (!isMatrix(value)) return value;
  if (value.length === 1 && value[0]?.length === 1) return value[0][0] ?? null;
  throw new NotCalculable("a range where one value is expected");
}

function firstError(values: readonly CalculatedValue[]): CellError | undefined {
  for (const value of values) {
    const found = isMatrix(value) ? value.flat().find((each) => each instanceof CellError) : value;
    if (found instanceof CellError) return found;
  }
  return undefined;
}

function fromLibrary(result: unknown): CalculatedValue {
  if (result instanceof Error)
    return new CellError(/^#[A-Z0-9/!?]+$/.test(result.message) ? result.message : "#VALUE!");
  if (typeof result === "number") return Number.isFinite(result) ? result : new CellError("#NUM!");
  if (typeof result === "string" || typeof result === "boolean" || result === null) return result;
  throw new NotCalculable("a result of another kind");
}
