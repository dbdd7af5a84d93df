import type { Block } from "../shared/block.ts";
import { isJsonObject, parseBlocks, readTextField, wrong } from "../shared/block-json.ts";
import type { JsonObject, JsonValue } from "../shared/command.ts";
import { readJson, readText } from "../shared/input-file.ts";
import { parseMarkdown } from "../shared/markdown.ts";
import { parseInline } from "../shared/markdown-inline.ts";
import type { ScriptIo } from "../shared/script-io.ts";
import {
  type ChartKind,
  type ChartSpec,
  chartKinds,
  type Place,
  type SlideSpec,
  type SpecObject,
  toBody,
  toSlides,
} from "./slide-spec.ts";

const fields = ["kind", "layout", "title", "subtitle", "text", "bullets", "table", "image", "chart", "notes"];
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
  const subtitle = text("subtitle");
  const blocks: readonly Block[] = [
    ...parseMarkdown(subtitle ?? ""),
    ...parseMarkdown(text("text") ?? ""),
    ...(value["bullets"] === undefined ? [] : parseBlocks([toList(value["bullets"], `${at}.bullets`)], at)),
  ];
  const { lines, objects } = toBody(blocks);
  return {
    kind: readKind(text("kind") ?? (subtitle === undefined ? "content" : "title"), `${at}.kind`),
    layout: text("layout"),
    title: parseInline(text("title") ?? ""),
    lines,
    objects: [...objects, ...parseObjects(value, at)],
    notes: text("notes") ?? "",
  };
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
  if (kind === "title" || kind === "section" || kind === "content") return kind;
  throw wrong(at, "title, section or content");
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
  if (!isChartKind(kind)) throw wrong(`${at}.type`, chartKinds.join(", "));
  const { categories, series } = chart;
  if (!Array.isArray(categories) || categories.length === 0)
    throw wrong(`${at}.categories`, "a list of names");
  if (!Array.isArray(series) || series.length === 0)
    throw wrong(`${at}.series`, 'a list: [{"name": "…", "values": [1, 2]}]');
  return {
    kind,
    title: readTextField(chart, "title", at) ?? "",
    categories: categories.map(String),
    series: series.map((each: JsonValue, index) =>
      parseSeries(each, categories.length, `${at}.series[${index}]`),
    ),
    colors: chart["colors"] === undefined ? undefined : parseColors(chart["colors"], `${at}.colors`),
  };
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
  const { values } = series;
  const isFit =
    Array.isArray(values) && values.length === length && values.every((each) => typeof each === "number");
  if (!isFit) throw wrong(`${at}.values`, `${length} numbers, one for each category`);
  return { name: readTextField(series, "name", at) ?? "", values: values.map(Number) };
}

function isChartKind(kind: string): kind is ChartKind {
  return chartKinds.some((each) => each === kind);
}
