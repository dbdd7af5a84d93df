import type { Approval, Widening } from "@skillhold/core/approval";
import { type ClearanceTarget, runtimeOf } from "@skillhold/core/run";
import { accountName } from "@skillhold/host/place";
import { SkillError } from "@skillhold/protocol/error";
import { limitTable } from "@skillhold/protocol/limits";
import { isToolFile } from "@skillhold/skill";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { getEntry } from "../../get-entry.ts";
import { textOption } from "../../option.ts";
import { idArgument, libraryOptions } from "../../shared-option.ts";
import { type ExitCode, type Io, plain, printData } from "../../terminal/output.ts";
import { count } from "../../terminal/text.ts";
import { type Running, withSession } from "./run-session.ts";

const optionSpecs = [
  { flags: "--script <path>", summary: "approve only this script" },
  { flags: "--tools", summary: "approve only the declared tools" },
  { flags: "--for <time>", summary: "how long, such as 8h or 30d; 15 minutes by default" },
  {
    flags: "--everyone",
    summary: "approve for every agent and user of this machine's approvals, not only you",
  },
  ...libraryOptions,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [idArgument],
  options: optionSpecs,
  examples: ["approve pdf", "approve pdf --script scripts/pdf.mjs --for 30d", "approve weather --tools"],
  run,
});

/**
 * Approves the current content of a skill with any arguments, without running it. The approval ends when the skill or its
 * installed packages change. Network and mounts still need an approval of their own.
 */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options, args } = input;
  const ms = readTime(textOption(options, "for"));
  const widen: readonly Widening[] = options["everyone"] === true ? ["everyone", "arguments"] : ["arguments"];
  const gift = { by: accountName(io.env), widen, ...(ms === undefined ? {} : { ms }) };
  return await withSession<ExitCode>(input, async (running) => {
    const { id } = await getEntry(running, args[0] ?? "");
    const approved: Approval[] = [];
    for (const target of await chooseTargets(id, options, running)) {
      const approval = await running.session.approve(id, target, gift);
      if (approval !== undefined) approved.push(approval);
    }
    print(io, id, approved);
    return 0;
  });
}

async function chooseTargets(
  id: string,
  options: CommandInput["options"],
  { library, viewer }: Running,
): Promise<readonly ClearanceTarget[]> {
  const script = textOption(options, "script");
  const isTools = options["tools"] === true;
  if (script !== undefined && isTools)
    throw new SkillError("USAGE", "--script and --tools exclude each other.", {
      hint: "Leave out both to approve all scripts and tools.",
    });
  if (script !== undefined) return [{ script }];
  const files = await library.files(viewer, id);
  const scripts = files.filter(
    ({ role, executable, path }) => role === "script" && (executable || runtimeOf(path) !== undefined),
  );
  const tools: readonly ClearanceTarget[] = files.some(({ path }) => isToolFile(path))
    ? [{ all: "tools" }]
    : [];
  const targets = isTools ? tools : [...scripts.map(({ path }) => ({ script: path })), ...tools];
  if (targets.length > 0) return targets;
  throw new SkillError(
    "PATH_NOT_FOUND",
    `The skill ${id} has no ${isTools ? "tools" : "scripts or tools"}.`,
    {
      hint: "Run `skillhold show` with the id to see its files.",
    },
  );
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

function readTime(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, number = "", unit = ""] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const ms = Number(number) * (UNITS[unit] ?? 0);
  const { min, max } = limitTable.approvalMs;
  if (ms >= min && ms <= max) return ms;
  throw new SkillError("USAGE", `--for ${text} is not a time between 1m and 30d.`, {
    hint: "Write minutes, hours or days, such as 90m, 8h or 30d.",
  });
}

function print(io: Io, id: string, approved: readonly Approval[]): void {
  if (io.json) {
    printData(io, { approvals: approved });
    return;
  }
  for (const { target, expiresAt } of approved) io.out(`${plain(target)} until ${expiresAt}\n`);
  if (approved.length === 0) io.err(`The policy lets ${id} run without an approval.\n`);
  else io.err(`${count(approved.length, "approval")}; \`skillhold approval revoke\` takes them back\n`);
}
