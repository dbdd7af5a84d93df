import { Writable } from "node:stream";
import type { McpSkills } from "@skillhold/mcp/server";
import { SkillError } from "@skillhold/protocol/error";
import { type CommandInput, defineCommand, type OptionsOf } from "../../command.ts";
import { mcpServeOptions } from "../../shared-option.ts";
import { type ExitCode, type Io, plain } from "../../terminal/output.ts";

const INTERRUPTED = 130;

export const command = defineCommand({
  arguments: [],
  options: mcpServeOptions,
  examples: ["mcp", "mcp --root ./skills --runtime claude-code"],
  run,
});

/** Serves skills to one MCP client over stdio, until the client disconnects or the user interrupts. */
async function run(input: CommandInput<OptionsOf<typeof mcpServeOptions>>): Promise<ExitCode> {
  const { io } = input;
  const stream = io.input();
  if (stream === undefined)
    throw new SkillError(
      "USAGE",
      "This command serves an MCP client over standard input and output, not a terminal.",
      {
        hint: "Run `skillhold mcp install --client <name>` to configure a client that starts it.",
      },
    );
  const { serveMcpStdio } = await import("@skillhold/mcp/server");
  // The client gets its first answer while folders and stores are read.
  const opening = Promise.withResolvers<McpSkills>();
  const serving = serveMcpStdio(opening.promise, {
    input: stream,
    output: outputOf(io),
    signal: io.signal,
    onError: (error) => io.err(`warning: ${plain(error instanceof Error ? error.message : String(error))}\n`),
  });
  try {
    const { withMcpSkills } = await import("./mcp-skills.ts");
    await withMcpSkills(input, async (skills) => {
      opening.resolve(skills);
      await serving;
    });
  } catch (error) {
    opening.reject(error);
    await serving;
    throw error;
  }
  return io.signal.aborted ? INTERRUPTED : 0;
}

function outputOf(io: Io): Writable {
  return new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      io.out(chunk);
      done();
    },
  });
}
