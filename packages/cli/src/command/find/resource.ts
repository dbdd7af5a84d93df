import type { ByteRange, Resource } from "@skillhold/core/library";
import { openSession, systemPorts } from "@skillhold/core/session";
import { present } from "@skillhold/host/place";
import { SkillError } from "@skillhold/protocol/error";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { getEntry } from "../../get-entry.ts";
import { withLibrary } from "../../open.ts";
import { countOption } from "../../option.ts";
import { idArgument, readingOptions } from "../../shared-option.ts";
import { type ExitCode, type Io, printData } from "../../terminal/output.ts";
import { forReader } from "../../terminal/text.ts";

const optionSpecs = [
  { flags: "--start <byte>", summary: "start at this byte" },
  { flags: "--length <bytes>", summary: "print at most this many bytes" },
  ...readingOptions,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [idArgument, { usage: "<path>", summary: "the file's path, relative to the skill's folder" }],
  options: optionSpecs,
  examples: ["resource pdf references/forms.md", "resource pdf assets/logo.png > logo.png"],
  run,
});

/** Prints one file of a skill, or a byte range of it, unchanged. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  const [wanted = "", path = ""] = input.args;
  const range = present({
    start: countOption(options, "start", { min: 0 }),
    length: countOption(options, "length", { min: 1 }),
  });
  return await withLibrary<ExitCode>(input, async (opened) => {
    const { id } = await getEntry(opened, wanted);
    const session = await openSession(opened.library, opened.viewer, systemPorts(opened.audit));
    const read = (part: ByteRange) => session.resource(id, path, part);
    try {
      if (io.json) printData(io, await read(range));
      else await printParts(io, range, read);
    } finally {
      await session.close();
    }
    return 0;
  });
}

/** The longest UTF-8 character. */
const CHARACTER_BYTES = 4;

/** Reads in parts, because a file may be larger than one response. */
async function printParts(
  io: Io,
  { start = 0, length = Number.POSITIVE_INFINITY }: ByteRange,
  read: (range: ByteRange) => Promise<Resource>,
): Promise<void> {
  let digest: string | undefined;
  let isText = false;
  for (let at = start, left = length; left > 0; ) {
    io.signal.throwIfAborted();
    const part = await read({ start: at, ...(Number.isFinite(left) ? { length: left } : {}) });
    digest ??= part.digest;
    if (part.digest !== digest)
      throw new SkillError("IO_FAILED", `${part.path} changed while it was read. Run the command again.`);
    // Text is printed in whole characters, so a partial one at the end of the range is dropped.
    if (isText && part.encoding === "base64" && part.hasMore && left < CHARACTER_BYTES) return;
    printPart(io, part);
    if (!part.hasMore || part.length === 0) return;
    isText = part.encoding === "utf-8";
    at += part.length;
    left -= part.length;
  }
}

function printPart(io: Io, { path, encoding, content, mimeType }: Resource): void {
  if (encoding === "utf-8") {
    io.out(forReader(io, content));
    return;
  }
  if (io.isOutTty)
    throw new SkillError("USAGE", `${path} is binary (${mimeType}) and is not printed to a terminal.`, {
      hint: "Redirect the output with `> file`, or add --json for base64.",
    });
  io.out(Buffer.from(content, "base64"));
}
