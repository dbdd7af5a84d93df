import { readInteger } from "../shared/bounded.ts";
import { defineCommand } from "../shared/command.ts";
import { readJson } from "../shared/input-file.ts";
import { saveOffice } from "../shared/office-save.ts";
import { chooseOutput, editOptions } from "../shared/output-file.ts";
import { ScriptError, usageError } from "../shared/script-error.ts";
import { changeChart, chartsOf } from "./change-chart.ts";
import { Deck } from "./deck.ts";
import { parseChart } from "./deck-spec.ts";
import { requireUsual } from "./slide-list.ts";

export const chartCommand = defineCommand({
  name: "chart",
  summary: "Change the numbers and names of a chart; its look stays",
  operands: { label: "<file.pptx>", min: 1, max: 1 },
  options: {
    slide: { type: "string", value: "n", help: "The slide, counted from 1" },
    chart: { type: "string", value: "n", help: "Which chart of the slide, counted from 1 (default 1)" },
    data: { type: "string", value: "json", help: "The new data: a file, - for stdin, or the JSON itself" },
    "replace-workbook": {
      type: "boolean",
      help: "Replace the workbook of the chart where the new data does not fit in; its other cells are lost",
    },
    ...editOptions,
  },
  details: `
{"title": "Sales", "categories": ["Q1", "Q2"], "series": [{"name": "2025", "values": [8, 9]}, {"name": "2026", "values": [9, 11]}]}

Get the present data with: read deck.pptx --slides 4 --format json. The data is given as a whole; series and categories may
become more or fewer. Categories such as 2026-01-31 are dates. A scatter chart takes {"type": "scatter", "series": [{"name":
"A", "x": [1, 2], "values": [3, 4]}]}. Without "title" the title stays. The kind of the chart cannot be changed.

Other cells of the chart's workbook stay, and formulas there are calculated again.

Example: chart deck.pptx --slide 4 --data sales.json --out new.pptx`,
  run: async ({ operands: [path = ""], options }, io) => {
    const deck = await Deck.open(path, io);
    requireUsual(deck);
    const output = await chooseOutput(options, [deck.pkg.file], io);
    const number = readInteger("slide", options.slide, { min: 1, max: deck.slides.length });
    const slide = number === undefined ? undefined : deck.slides[number - 1];
    if (slide === undefined) throw usageError("Name the slide: --slide <n>.");
    if (options.data === undefined)
      throw usageError("Give the data: --data chart.json.", "See chart --help.");
    const charts = chartsOf(deck, slide.part);
    if (charts.length === 0)
      throw new ScriptError("NOTHING_FOUND", `Slide ${slide.number} has no chart.`, {
        hint: "List the charts of each slide with info.",
      });
    const place = readInteger("chart", options.chart, { min: 1, max: charts.length }) ?? 1;
    const chart = parseChart(await readJson(options.data, io), "The data");
    const paragraphs = changeChart(deck, charts[place - 1] ?? "", {
      chart,
      mayReplaceWorkbook: options["replace-workbook"] === true,
    });
    const saved = await saveOffice(deck, output, { paragraphs });
    return {
      ...saved,
      slide: slide.number,
      chart: place,
      categories: chart.categories.length,
      series: chart.series.length,
    };
  },
});
