import { boundList, boundText, clip, textOptions } from "../shared/bounded.ts";
import { defineCommand } from "../shared/command.ts";
import { chooseOutput, outputOptions, writeOutput } from "../shared/output-file.ts";
import { chooseItems } from "../shared/range.ts";
import { usageError } from "../shared/script-error.ts";
import { Deck } from "./deck.ts";
import type { ChartContent } from "./read-chart.ts";
import { readSlide, type SlideContent, toJson } from "./read-slide.ts";

const MAX_SLIDES = 100;

export const readCommand = defineCommand({
  name: "read",
  summary: "Read the slides as Markdown or JSON: text, tables, charts, images, notes",
  operands: { label: "<file.pptx>", min: 1, max: 1 },
  options: {
    slides: { type: "string", value: "range", help: "Only these: 1,3-5,8-" },
    format: { type: "string", value: "kind", help: "markdown (default) or json" },
    ...textOptions,
    ...outputOptions,
  },
  details: `With --out the whole Markdown goes to a file. JSON has at most ${MAX_SLIDES} slides at once: ask for the rest with --slides.`,
  run: async ({ operands: [path = ""], options }, io) => {
    const format = options.format ?? "markdown";
    if (format !== "markdown" && format !== "json") {
      throw usageError(`--format is markdown or json, not ${clip(format, 40)}.`);
    }
    const deck = await Deck.open(path, io);
    const contents = chooseItems(options.slides, deck.slides, "slide").map((slide) => readSlide(deck, slide));
    if (format === "json") {
      const { items, total, truncated } = boundList(contents.map(toJson), MAX_SLIDES);
      return { file: path, format, slides: items, total, truncated };
    }
    const text = contents.map(toMarkdown).join("\n\n");
    if (options.out === undefined) return { file: path, format, ...boundText(text, options) };
    const output = await chooseOutput(options, [deck.pkg.file], io);
    return { file: path, format, written: await writeOutput(output, Buffer.from(`${text}\n`)) };
  },
});

function toMarkdown(slide: SlideContent): string {
  const heading = `## Slide ${slide.number}: ${slide.title || "(no title)"}${slide.isHidden ? " (hidden)" : ""}`;
  const lines = slide.lines.map(({ level, text }) => `${"  ".repeat(level)}- ${text.replaceAll("\n", " ")}`);
  const charts = slide.charts.map(({ type, title, categories, series }) =>
    [`Chart (${type}): ${title}`, tableLines(chartRows(categories, series))].join("\n\n"),
  );
  const images = slide.images.map(({ name, alt }) => `![${alt.replace(/\s+/g, " ")}](${name})`);
  return [
    heading,
    lines.join("\n"),
    ...slide.tables.map(tableLines),
    ...charts,
    ...images,
    slide.footer === "" ? "" : `Footer: ${slide.footer}`,
    slide.notes === "" ? "" : `Notes: ${slide.notes}`,
    slide.comments.map(({ author, text }) => `Comment by ${author || "unknown"}: ${text}`).join("\n\n"),
  ]
    .filter((block) => block !== "")
    .join("\n\n");
}

/** Scatter charts have horizontal values of their own for each series. */
function chartRows(
  categories: ChartContent["categories"],
  series: ChartContent["series"],
): readonly (readonly string[])[] {
  const width = Math.max(categories.length, ...series.map(({ values }) => values.length));
  const cells = (points: ChartContent["categories"]) =>
    Array.from({ length: width }, (_, index) => String(points[index] ?? ""));
  const rows = series.flatMap(({ name, values, x, sizes }) => [
    ...(x === undefined ? [] : [[`${name} (x)`, ...cells(x)]]),
    [name, ...cells(values)],
    ...(sizes === undefined ? [] : [[`${name} (size)`, ...cells(sizes)]]),
  ]);
  return [["", ...cells(categories)], ...rows];
}

function tableLines(rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;
  const [header = [], ...rest] = rows;
  return [line(header), line(header.map(() => "---")), ...rest.map(line)].join("\n");
}
