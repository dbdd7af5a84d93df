import { parse, tokenize } from "@borgar/fx/xlsx";
import { callFunction } from "./calculation-function.ts";
import {
  type CalculatedValue,
  CellError,
  compareScalars,
  isMatrix,
  type Matrix,
  NotCalculable,
  type Scalar,
  toBoolean,
  toNumber,
  toText,
} from "./calculation-value.ts";
import { type CellAddress, parseRange } from "./cell-address.ts";
import { bareName } from "./function-list.ts";

/** The cells that formulas read. */
export interface CellSource {
  /** The formula of a cell without `=`; undefined for a cell without a formula. */
  formula(sheet: string, address: CellAddress): string | undefined;
  /** The value of a cell without a formula. */
  value(sheet: string, address: CellAddress): Scalar;
  /** The exact spelling of a sheet's name; undefined when no sheet has that name. */
  sheetName(name: string): string | undefined;
  /** The formula that a defined name stands for. */
  definedName(name: string): string | undefined;
  /** The last row and column in use. */
  extent(sheet: string): CellAddress;
}

type Node = ReturnType<typeof parse>;

const MAX_CELLS = 200_000;
const MAX_DEPTH = 500;

/** Calculates formulas in this process. A formula that it does not fully understand throws `NotCalculable`. */
export class Calculator {
  readonly #source: CellSource;
  readonly #results = new Map<string, Scalar | NotCalculable>();
  #depth = 0;

  constructor(source: CellSource) {
    this.#source = source;
  }

  /** The result of a cell, calculated once. */
  cell(sheet: string, address: CellAddress): Scalar {
    const formula = this.#source.formula(sheet, address);
    if (formula === undefined) return this.#source.value(sheet, address);
    const key = `${sheet}!${address.row},${address.column}`;
    const known = this.#results.get(key);
    if (known instanceof NotCalculable) throw known;
    if (known !== undefined) return known;
    if (this.#depth >= MAX_DEPTH) throw new NotCalculable("formulas depend on each other too deeply");
    this.#results.set(key, new NotCalculable("a circular reference"));
    this.#depth += 1;
    try {
      const result = this.#single(
        this.#evaluate(parseFormula(formula), { sheet, address, hasArrays: false }),
      );
      // An empty cell that a formula shows is a zero.
      this.#results.set(key, result ?? 0);
      return result ?? 0;
    } catch (error) {
      const reason =
        error instanceof NotCalculable ? error : new NotCalculable("the formula cannot be calculated");
      this.#results.set(key, reason);
      throw reason;
    } finally {
      this.#depth -= 1;
    }
  }

  #evaluate(node: Node, place: Place): CalculatedValue {
    switch (node.type) {
      case "Literal":
        return node.value;
      case "ErrorLiteral":
        return new CellError(node.value);
      case "ReferenceIdentifier":
        return this.#reference(node.value, node.kind, place);
      case "ArrayExpression":
        return node.elements.map((row) =>
          row.map((each) => this.#single(this.#evaluate(each as Node, place))),
        );
      case "UnaryExpression":
        return this.#unary(node.operator, this.#evaluate(node.arguments[0] as Node, place), place);
      case "BinaryExpression":
        return this.#binary(
          node.operator,
          this.#evaluate(node.arguments[0] as Node, place),
          this.#evaluate(node.arguments[1] as Node, place),
          place,
        );
      case "CallExpression":
        return this.#call(node, place);
      default:
        throw new NotCalculable(`${node.type} is not built in`);
    }
  }

  #call(node: Extract<Node, { type: "CallExpression" }>, place: Place): CalculatedValue {
    const name = node.callee.type === "Identifier" ? bareName(node.callee.name) : "";
    const given = node.arguments;
    const value = (index: number): CalculatedValue => {
      const argument = given[index];
      return argument === undefined || argument === null ? null : this.#evaluate(argument as Node, place);
    };
    switch (name) {
      case "IF": {
        const test = toBoolean(this.#single(value(0)));
        if (test instanceof CellError) return test;
        if (test) return given.length > 1 ? value(1) : true;
        return given.length > 2 ? value(2) : false;
      }
      case "IFERROR":
      case "IFNA": {
        const result = this.#single(value(0));
        const isCaught = result instanceof CellError && (name === "IFERROR" || result.code === "#N/A");
        return isCaught ? value(1) : result;
      }
      case "ROW":
      case "COLUMN": {
        const [reference] = given;
        const text = reference?.type === "ReferenceIdentifier" ? reference.value.replace(/^.*!/, "") : "";
        const range = parseRange(text);
        if (given.length > 0 && range === undefined) throw new NotCalculable(`${name} of another reference`);
        if (range !== undefined && (range.top !== range.bottom || range.left !== range.right))
          throw new NotCalculable(`${name} of a range`);
        return name === "ROW" ? (range?.top ?? place.address.row) : (range?.left ?? place.address.column);
      }
      case "CHOOSE": {
        const index = toNumber(this.#single(value(0)));
        if (index instanceof CellError) return index;
        return index >= 1 && index < given.length ? value(Math.trunc(index)) : new CellError("#VALUE!");
      }
      default: {
        const inner = { ...place, hasArrays: place.hasArrays || name === "SUMPRODUCT" };
        return callFunction(
          name,
          given.map((argument) => (argument === null ? null : this.#evaluate(argument as Node, inner))),
        );
      }
    }
  }

  #reference(text: string, kind: string, place: Place): CalculatedValue {
    if (kind === "name") {
      const formula = this.#source.definedName(text);
      if (formula === undefined) throw new NotCalculable(`the name ${text} is unknown`);
      return this.#evaluate(parseFormula(formula), place);
    }
    const found =
      kind === "range" || kind === "beam"
        ? /^(?:(?:'((?:[^']|'')+)'|([^'![\]:]+))!)?([^!]+)$/.exec(text)
        : null;
    const range = parseRange(found?.[3] ?? "");
    const sheet = this.#source.sheetName((found?.[1]?.replaceAll("''", "'") ?? found?.[2]) || place.sheet);
    if (range === undefined || sheet === undefined) throw new NotCalculable(`${text} is not a plain range`);
    const extent = this.#source.extent(sheet);
    const bottom = Math.min(range.bottom, Math.max(extent.row, range.top));
    const right = Math.min(range.right, Math.max(extent.column, range.left));
    if ((bottom - range.top + 1) * (right - range.left + 1) > MAX_CELLS)
      throw new NotCalculable("a range is too large");
    const rows: Scalar[][] = [];
    for (let row = range.top; row <= bottom; row += 1) {
      const cells: Scalar[] = [];
      for (let column = range.left; column <= right; column += 1)
        cells.push(this.cell(sheet, { row, column }));
      rows.push(cells);
    }
    const isOne = range.top === range.bottom && range.left === range.right;
    return isOne ? (rows[0]?.[0] ?? null) : rows;
  }

  #unary(operator: string, value: CalculatedValue, place: Place): CalculatedValue {
    if (isMatrix(value))
      return this.#each(value, place, (each) => this.#unary(operator, each, place) as Scalar);
    const number = toNumber(value);
    if (operator === "+") return value;
    if (number instanceof CellError) return number;
    if (operator === "-") return -number;
    if (operator === "%") return number / 100;
    throw new NotCalculable(`the operator ${operator} is not built in`);
  }

  #binary(operator: string, left: CalculatedValue, right: CalculatedValue, place: Place): CalculatedValue {
    if (isMatrix(left)) {
      return this.#each(left, place, (each, row, column) => {
        const other = isMatrix(right) ? right[row]?.[column] : right;
        if (other === undefined) throw new NotCalculable("ranges of different sizes");
        return this.#binary(operator, each, other, place) as Scalar;
      });
    }
    if (isMatrix(right))
      return this.#each(right, place, (each) => this.#binary(operator, left, each, place) as Scalar);
    return operate(operator, left, right);
  }

  #each(
    matrix: Matrix,
    { hasArrays }: Place,
    map: (value: Scalar, row: number, column: number) => Scalar,
  ): Matrix {
    if (!hasArrays) throw new NotCalculable("a range where one value is expected");
    return matrix.map((cells, row) => cells.map((value, column) => map(value, row, column)));
  }

  #single(value: CalculatedValue): Scalar {
    if (!isMatrix(value)) return value;
    if (value.length === 1 && value[0]?.length === 1) return value[0][0] ?? null;
    throw new NotCalculable("the result is a range");
  }
}

interface Place {
  readonly sheet: string;
  readonly address: CellAddress;
  /** Whether operators work on whole ranges here. */
  readonly hasArrays: boolean;
}

function parseFormula(formula: string): Node {
  try {
    return parse(tokenize(formula, { mergeRefs: true }), { permitArrayRanges: true, permitArrayCalls: true });
  } catch {
    throw new NotCalculable("the formula cannot be parsed");
  }
}

function operate(operator: string, left: Scalar, right: Scalar): Scalar {
  if (left instanceof CellError) return left;
  if (right instanceof CellError) return right;
  if (operator === "&") return `${toText(left)}${toText(right)}`;
  if (["=", "<>", "<", ">", "<=", ">="].includes(operator))
    return compare(operator, compareScalars(left, right));
  const [a, b] = [toNumber(left), toNumber(right)];
  if (a instanceof CellError) return a;
  if (b instanceof CellError) return b;
  return arithmetic(operator, a, b);
}

function compare(operator: string, order: number): boolean {
  switch (operator) {
    case "=":
      return order === 0;
    case "<>":
      return order !== 0;
    case "<":
      return order < 0;
    case ">":
      return order > 0;
    case "<=":
      return order <= 0;
    default:
      return order >= 0;
  }
}

function arithmetic(operator: string, a: number, b: number): Scalar {
  const result = (): number => {
    switch (operator) {
      case "+":
        return a + b;
      case "-":
        return a - b;
      case "*":
        return a * b;
      case "/":
        return a / b;
      case "^":
        return a ** b;
      default:
        throw new NotCalculable(`the operator ${operator} is not built in`);
    }
  };
  if (operator === "/" && b === 0) return new CellError("#DIV/0!");
  const value = result();
  if (!Number.isFinite(value)) return new CellError("#NUM!");
  // Spreadsheets round sums that are almost zero.
  return (operator === "+" || operator === "-") && Math.abs(value) < Math.abs(a) * 1e-15 ? 0 : value;
}
