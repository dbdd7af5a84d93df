import { posix } from "node:path";
import { defineCommand } from "../shared/command.ts";
import { folderOptions, outputIn, type Written, writeOutput } from "../shared/output-file.ts";
import { Deck } from "./deck.ts";

const MAX_IMAGES = 1000;

export const imagesCommand = defineCommand({
  name: "images",
  summary: "Write the images of a deck to a folder",
  operands: { label: "<file.pptx>", min: 1, max: 1 },
  options: folderOptions,
  run: async ({ operands: [path = ""], options }, io) => {
    const { pkg } = await Deck.open(path, io);
    const images = pkg.names.filter((name) => /^ppt\/media\//i.test(name)).slice(0, MAX_IMAGES);
    const written: Written[] = [];
    for (const name of images) {
      const output = outputIn(options, posix.basename(name), [pkg.file], io);
      written.push(await writeOutput(output, pkg.bytes(name)));
    }
    return { file: path, images: written };
  },
});
