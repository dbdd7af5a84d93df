import { posix } from "node:path";
import { defineCommand } from "../shared/command.ts";
import { folderOptions, outputIn, type Written, writeOutput } from "../shared/output-file.ts";
import { imagesOf } from "./info-command.ts";
import { WordFile } from "./word-file.ts";

const MAX_IMAGES = 1000;

export const imagesCommand = defineCommand({
  name: "images",
  summary: "Write the images of a document to a folder",
  operands: { label: "<file.docx>", min: 1, max: 1 },
  options: folderOptions,
  run: async ({ operands: [path = ""], options }, io) => {
    const file = await WordFile.open(path, io);
    const images = imagesOf(file).slice(0, MAX_IMAGES);
    const written: Written[] = [];
    for (const { name } of images) {
      const output = outputIn(options, posix.basename(name), [file.pkg.file], io);
      written.push(await writeOutput(output, file.pkg.bytes(name)));
    }
    return { file: path, images: written };
  },
});
