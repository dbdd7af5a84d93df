import type { Block } from "../shared/block.ts";
import { isJsonObject, parseBlocks, readTextField, wrong } from "../shared/block-json.ts";
import { type ChartType, chartTypes } from "../shared/chart-xml.ts";
import type { JsonObject, JsonValue } from "../shared/command.ts";
import { readJson, readText } from "../shared/input-file.ts";
import { parseMarkdown } from "../shared/markdown.ts";
import { parseInline } from "../shared/markdown-inline.ts";
import type { ScriptIo } from "../shared/script-io.ts";
import { isoToSerial } from "../xlsx/serial-date.ts";
import {
  type ChartSpec,
  type Place,
  type SlideSpec,
  type SpecObject,
  slideKinds,
  toBody,
  toSlides,
} from "./slide-spec.ts";

const fields = [
  ...["kind", "layout", "title", "subtitle", "text", "bullets", "table", "image", "chart", "notes"],
  ...["quote", "by", "number", "columns"],
];
const MAX_SLIDES = 500;

/** Reads slides from Markdown or JSON: a file, `-` for standard input, or JSON as the argument itself. */
export async function readSlides(source: string, io: ScriptIo): Promise<readonly SlideSpec[]> {
  const isInline = /^\s*[[{]/.test(source);
  if (isInline || source.toLowerCase().endsWith(".json"))
    return bounded(fromJson(await readJson(source, io)));
  const text = await readText(source, io);
  const isJson = source === "-" && /^\s*[[{]\s*["{[\]}]/.test(text);
  return bounded(isJson ? fromJson(await readJson(text, io)) : toSlides(parseMarkdown(text)));
}

function bounded(slides: readonly SlideSpec[]): readonly SlideSpec[] {
  if (slides.length === 0) throw wrong("The description", "one slide or more");
  if (slides.length > MAX_SLIDES) throw wrong("The description", `at most ${MAX_SLIDES} slides`);
  return slides;
}

function fromJson(value: JsonValue): readonly SlideSpec[] {
  const list = isJsonObject(value) ? value["slides"] : value;
  if (!Array.isArray(list)) throw wrong("The description", 'a list of slides, or an object: {"slides": […]}');
  return list.map((slide: JsonValue, index) => parseSlide(slide, `slides[${index}]`));
}

function parseSlide(value: JsonValue, at: string): SlideSpec {
  if (!isJsonObject(value)) throw wrong(at, "an object");
  const unknown = Object.keys(value).find((key) => !fields.includes(key));
  if (unknown !== undefined)
    throw wrong(`${at}: the field ${JSON.stringify(unknown.slice(0, 40))}`, `one of ${fields.join(", ")}`);
  const text = (key: string) => readTextField(value, key, at);
  const shared = {
    layout: text("layout"),
    title: parseInline(text("title") ?? ""),
    notes: text("notes") ?? "",
  };
  const special = parseSpecial(value, at);
  if (special !== undefined) return { ...shared, ...special };
  const subtitle = text("subtitle");
  const kind = readKind(text("kind") ?? (subtitle === undefined ? "content" : "title"), `${at}.kind`);
  const { lines, objects } = parseContent(value, at);
  if (kind === "picture" && !objects.some(({ type }) => type === "image"))
    throw wrong(`${at}.image`, 'a picture, because "kind" is "picture"');
  const all = [...toBody(parseMarkdown(subtitle ?? "")).lines, ...lines];
  return {
    ...shared,
    kind,
    lines:
      kind === "agenda"
        ? all.map((line) => (line.mark === "bullet" ? { ...line, mark: "number" } : line))
        : all,
    objects,
  };
}

function parseContent(value: JsonObject, at: string): Pick<SlideSpec, "lines" | "objects"> {
  const blocks: readonly Block[] = [
    ...parseMarkdown(readTextField(value, "text", at) ?? ""),
    ...(value["bullets"] === undefined ? [] : parseBlocks([toList(value["bullets"], `${at}.bullets`)], at)),
  ];
  const { lines, objects } = toBody(blocks);
  return { lines, objects: [...objects, ...parseObjects(value, at)] };
}

/** Slides that have a field of their own: quotes, numbers and columns. */
function parseSpecial(
  value: JsonObject,
  at: string,
): Pick<SlideSpec, "kind" | "lines" | "objects" | "caption" | "columns"> | undefined {
  const found = (["quote", "number", "columns"] as const).filter((key) => value[key] !== undefined);
  const [kind] = found;
  const { kind: named } = value;
  if (kind === undefined) {
    if (named === "quote" || named === "number" || named === "columns")
      throw wrong(`${at}.${named}`, `given, because "kind" is "${named}"`);
    return undefined;
  }
  const others = [
    ...found.slice(1),
    ...(kind === "columns" ? contents : contents.filter((key) => key !== "text")),
  ];
  const other = others.find((key) => value[key] !== undefined);
  if (other !== undefined) throw wrong(`${at}.${other}`, `left out, because the slide has "${kind}"`);
  if (named !== undefined && named !== kind) throw wrong(`${at}.kind`, `"${kind}", or left out`);
  if (kind === "columns")
    return { kind, lines: [], objects: [], columns: parseColumns(value["columns"], at) };
  const main = value[kind];
  const plain = (text: string) => toBody(parseMarkdown(text)).lines;
  if (typeof main !== "string" && typeof main !== "number") throw wrong(`${at}.${kind}`, "a text");
  const caption = [
    ...plain(readTextField(value, "by", at) ?? ""),
    ...plain(readTextField(value, "text", at) ?? ""),
  ];
  return {
    kind,
    lines: [{ level: 0, mark: "none", content: parseInline(String(main)) }],
    objects: [],
    caption,
  };
}

const contents = ["subtitle", "text", "bullets", "table", "image", "chart"];

function parseColumns(value: JsonValue | undefined, at: string): SlideSpec["columns"] {
  if (!Array.isArray(value) || value.length !== 2)
    throw wrong(
      `${at}.columns`,
      'a list of two: [{"title": "Before", "bullets": ["…"]}, {"title": "After", "bullets": ["…"]}]',
    );
  return value.map((each: JsonValue, index) => {
    const where = `${at}.columns[${index}]`;
    const column = objectOf(each, where);
    const known = ["title", ...contents.filter((key) => key !== "subtitle")];
    const unknown = Object.keys(column).find((key) => !known.includes(key));
    if (unknown !== undefined)
      throw wrong(
        `${where}: the field ${JSON.stringify(unknown.slice(0, 40))}`,
        `one of ${known.join(", ")}`,
      );
    return {
      heading: parseInline(readTextField(column, "title", where) ?? ""),
      ...parseContent(column, where),
    };
  });
}

function parseObjects({ table, image, chart }: JsonObject, at: string): readonly SpecObject[] {
  const blocks = (value: JsonObject, where: string): readonly SpecObject[] => {
    const { place, ...block } = value;
    return toBody(parseBlocks([block], at)).objects.map((each) => ({
      ...each,
      place: parsePlace(place, `${where}.place`),
    }));
  };
  const inTable =
    table === undefined ? [] : blocks({ ...objectOf(table, `${at}.table`), type: "table" }, `${at}.table`);
  const inImage = image === undefined ? [] : blocks(toImage(image, `${at}.image`), `${at}.image`);
  if (chart === undefined) return [...inTable, ...inImage];
  const { place } = objectOf(chart, `${at}.chart`);
  return [
    ...inTable,
    ...inImage,
    { type: "chart", ...parseChart(chart, `${at}.chart`), place: parsePlace(place, `${at}.chart.place`) },
  ];
}

function parsePlace(value: JsonValue | undefined, at: string): Place | undefined {
  if (value === undefined) return undefined;
  const { x, y, width, height } = objectOf(value, at);
  const isNumber = (each: JsonValue | undefined): each is number => typeof each === "number" && each >= 0;
  if (isNumber(x) && isNumber(y) && isNumber(width) && isNumber(height) && width > 0 && height > 0)
    return { x, y, width, height };
  throw wrong(at, '{"x": 2, "y": 5, "width": 12, "height": 8}, in centimeters');
}

function readKind(kind: string, at: string): SlideSpec["kind"] {
  const found = slideKinds.find((each) => each === kind);
  if (found !== undefined) return found;
  throw wrong(at, `one of ${slideKinds.join(", ")}`);
}

/** `bullets` in a bullet are the next level. */
function toList(value: JsonValue, at: string): JsonObject {
  if (!Array.isArray(value)) throw wrong(at, "a list");
  const items = value.map((item: JsonValue, index): JsonValue => {
    if (!isJsonObject(item) || item["bullets"] === undefined) return item;
    return { text: item["text"], items: toList(item["bullets"], `${at}[${index}].bullets`)["items"] };
  });
  return { type: "list", items };
}

function toImage(value: JsonValue, at: string): JsonObject {
  return typeof value === "string"
    ? { type: "image", path: value }
    : { ...objectOf(value, at), type: "image" };
}

function objectOf(value: JsonValue, at: string): JsonObject {
  if (!isJsonObject(value)) throw wrong(at, "an object");
  return value;
}

export function parseChart(value: JsonValue, at: string): ChartSpec {
  const chart = objectOf(value, at);
  const kind = readTextField(chart, "type", at) ?? "column";
  if (!isChartType(kind)) throw wrong(`${at}.type`, chartTypes.join(", "));
  const { series } = chart;
  const categories = kind === "scatter" ? [] : readCategories(chart["categories"], at);
  if (!Array.isArray(series) || series.length === 0)
    throw wrong(`${at}.series`, 'a list: [{"name": "…", "values": [1, 2]}]');
  const isRound = kind === "pie" || kind === "doughnut";
  return {
    kind,
    title: readTextField(chart, "title", at) ?? "",
    categories,
    isDated: !isRound && categories.length > 0 && categories.every(isDay),
    series: series.map((each: JsonValue, index) => {
      const where = `${at}.series[${index}]`;
      return kind === "scatter" ? parsePoints(each, where) : parseSeries(each, categories.length, where);
    }),
    colors: chart["colors"] === undefined ? undefined : parseColors(chart["colors"], `${at}.colors`),
  };
}

function readCategories(value: JsonValue | undefined, at: string): readonly string[] {
  if (!Array.isArray(value) || value.length === 0)
    throw wrong(`${at}.categories`, "a list of names, or of dates such as 2026-01-31");
  return value.map(String);
}

function isDay(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && isoToSerial(text, false) !== undefined;
}

function parseColors(value: JsonValue, at: string): readonly string[] {
  const colors = Array.isArray(value) ? value.map((each: JsonValue) => readColor(String(each))) : [];
  if (colors.length > 0 && colors.every((each) => each !== undefined)) return colors;
  throw wrong(at, 'a list of colors: ["2F5D9B", "D9822B"]');
}

/** Six hexadecimal digits; undefined for any other text. */
export function readColor(text: string): string | undefined {
  return /^\s*#?([0-9a-f]{6})\s*$/i.exec(text)?.[1]?.toUpperCase();
}

function parseSeries(value: JsonValue, length: number, at: string): ChartSpec["series"][number] {
  const series = objectOf(value, at);
  const values = readNumbers(series["values"]);
  if (values?.length !== length) throw wrong(`${at}.values`, `${length} numbers, one for each category`);
  return { name: readTextField(series, "name", at) ?? "", values };
}

function parsePoints(value: JsonValue, at: string): ChartSpec["series"][number] {
  const series = objectOf(value, at);
  const [x, values] = [readNumbers(series["x"]), readNumbers(series["values"])];
  if (x === undefined || x.length === 0) throw wrong(`${at}.x`, "a list of numbers");
  if (values?.length !== x.length) throw wrong(`${at}.values`, `${x.length} numbers, one for each x`);
  return { name: readTextField(series, "name", at) ?? "", values, x };
}

/** Null is a gap. */
function readNumbers(value: JsonValue | undefined): readonly (number | null)[] | undefined {
  const isFit = Array.isArray(value) && value.every((each) => each === null || typeof each === "number");
  return isFit ? value.map((each: JsonValue) => (each === null ? null : Number(each))) : undefined;
}

function isChartType(kind: string): kind is ChartType {
  return chartTypes.some((each) => each === kind);
}
