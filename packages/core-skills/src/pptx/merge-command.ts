import { defineCommand } from "../shared/command.ts";
import { saveOffice } from "../shared/office-save.ts";
import { chooseOutput, outputOptions } from "../shared/output-file.ts";
import { usageError } from "../shared/script-error.ts";
import { Deck } from "./deck.ts";
import { DeckImport } from "./deck-import.ts";
import { requireUsual } from "./slide-list.ts";

export const mergeCommand = defineCommand({
  name: "merge",
  summary: "Join decks, one after the other",
  operands: { label: "<first.pptx> <next.pptx...>", min: 2, max: 50 },
  options: {
    "use-design": {
      type: "boolean",
      help: "Give all slides the design of the first deck instead of keeping their own",
    },
    ...outputOptions,
  },
  details: `The slide size is that of the first deck: slides of another size are not scaled, and the answer says so.
With --use-design, slides take the layout of the same name or type; own colors and positions stay. Comments do not come along.`,
  run: async ({ operands, options }, io) => {
    const decks: Deck[] = [];
    for (const path of operands) decks.push(await Deck.open(path, io));
    const [first, ...rest] = decks;
    if (first === undefined) throw usageError("No file to merge was given.");
    const output = await chooseOutput(
      options,
      decks.map(({ pkg }) => pkg.file),
      io,
    );
    for (const deck of decks) requireUsual(deck);
    for (const deck of rest) new DeckImport(first, deck, options["use-design"] === true).run();
    const { width, height } = first.size;
    const isOther = ({ size }: Deck) =>
      Math.abs(size.width - width) > 100 || Math.abs(size.height - height) > 100;
    const otherSize = rest.filter(isOther).map(({ pkg }) => pkg.file.path);
    return {
      ...(await saveOffice(first, output)),
      decks: decks.length,
      slides: first.slides.length,
      otherSize,
    };
  },
});
