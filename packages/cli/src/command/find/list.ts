import { neutralText } from "@skillhold/core/text";
import { present, shortPath } from "@skillhold/host/place";
import type { SkillEntry } from "@skillhold/protocol";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { viewerFlags } from "../../library-choice.ts";
import { type Opened, withLibrary } from "../../open.ts";
import { textOption } from "../../option.ts";
import { formatProblems, linksOf, listProblems, type SearchProblem } from "../../search-problem.ts";
import { depsOption, readingOptions } from "../../shared-option.ts";
import { type ExitCode, type Io, plain, printData } from "../../terminal/output.ts";
import { formatTable } from "../../terminal/table.ts";
import { count, paintFor } from "../../terminal/text.ts";
import type { DependencyMark } from "./dependency-mark.ts";

const optionSpecs = [
  { flags: "--invalid", summary: "show invalid skills and their problems" },
  { flags: "--tag <tag>", summary: "list only skills with this tag" },
  depsOption,
  ...readingOptions,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [{ usage: "[roots...]", summary: "the folders to list; by default all sources" }],
  options: optionSpecs,
  examples: ["list", "list ./skills --invalid", "list --runtime claude-code --json"],
  run,
});

/** Prints the skills that a viewer sees, and counts the other candidates. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  let isSeeded = false;
  const code = await withLibrary<ExitCode>(
    input,
    async (opened) => {
      const tag = textOption(options, "tag");
      const isOfInvalid = options["invalid"] === true && !io.json;
      const found = await makeListing(opened, tag);
      const listing =
        options["deps"] === true && !isOfInvalid ? await withDependencies(found, opened, input) : found;
      if (io.json) {
        printData(io, listing);
        return 0;
      }
      if (isOfInvalid) await printInvalid(io, listing);
      else await printListing(input, listing, opened, tag);
      io.err(formatProblems(listing.problems, opened.rootFlags));
      if (listing.skills.length === 0) isSeeded = await offer(input, opened);
      return 0;
    },
    { roots: input.args, skipsEmptyStore: true },
  );
  return isSeeded ? await run(input) : code;
}

/** Loaded only for an empty list. */
async function offer(input: CommandInput, opened: Opened): Promise<boolean> {
  const { offerExamples } = await import("./example-offer.ts");
  return await offerExamples(input, opened);
}

interface ListedSkill extends SkillEntry {
  /** Present with `--deps`. */
  readonly dependencies?: DependencyMark;
}

interface Listing extends Pick<ReturnType<Opened["inspect"]>["view"], "invalid" | "shadowed"> {
  readonly skills: readonly ListedSkill[];
  /** Winning skills that this viewer may not use. */
  readonly hidden: readonly { readonly id: string; readonly source: string; readonly reason: string }[];
  /** Folders that were not searched. */
  readonly problems: readonly SearchProblem[];
}

async function makeListing(opened: Opened, tag: string | undefined): Promise<Listing> {
  const { library, viewer, isDisclosed } = opened;
  const visible = await library.list(viewer);
  const { view } = opened.inspect();
  const skills = tag === undefined ? visible : visible.filter(({ tags }) => hasTag(tags, tag));
  const hidden = (await library.explain(viewer))
    .filter((each) => each.state === "hidden" && isDisclosed(each))
    .map(({ id, source, reason }) => ({ id, source, reason }));
  const [invalid, shadowed] = [view.invalid.filter(isDisclosed), view.shadowed.filter(isDisclosed)];
  return { skills, invalid, shadowed, hidden, problems: listProblems(opened) };
}

function hasTag(tags: readonly string[], wanted: string): boolean {
  return tags.some((tag) => tag.toLowerCase() === wanted.toLowerCase());
}

/** Loads the dependency modules only for `--deps`, because they are large. */
async function withDependencies(listing: Listing, opened: Opened, input: CommandInput): Promise<Listing> {
  const { markDependencies } = await import("./dependency-mark.ts");
  const marks = await markDependencies(input, opened, listing.skills);
  const skills = listing.skills.map((skill) => ({
    ...skill,
    ...present({ dependencies: marks.get(skill.path) }),
  }));
  return { ...listing, skills };
}

const columns = [
  { title: "ID", most: 36 },
  { title: "VERSION", most: 10 },
  { title: "SOURCE", most: 20 },
  { title: "TRUST" },
  { title: "READINESS" },
  { title: "DESCRIPTION" },
];

async function printListing(
  { io, options }: Pick<CommandInput, "io" | "options">,
  listing: Listing,
  opened: Opened,
  tag: string | undefined,
): Promise<void> {
  const { skills } = listing;
  if (skills.length === 0 && tag !== undefined) io.err(`No skill has the tag ${plain(tag)}.\n`);
  else if (skills.length === 0) printNothing(io, listing, opened);
  else {
    const paint = await paintFor(io.color);
    const hasMarks = skills.some(({ dependencies }) => dependencies !== undefined);
    const rows = skills.map(({ id, version, source, trust, readiness, dependencies, description }) => {
      const marks = hasMarks ? [dependencies?.state ?? "-"] : [];
      const cells = [id, version ?? "-", source, trust, readiness.state, ...marks, description];
      return cells.map((cell) => neutralText(cell));
    });
    const titles = hasMarks ? columns.toSpliced(-1, 0, { title: "DEPENDENCIES" }) : columns;
    io.out(formatTable(titles, rows, { width: io.isOutTty ? io.columns : undefined, paintTitle: paint.dim }));
  }
  for (const skill of skills) io.err(formatMissing(skill));
  io.err(summarize(listing, opened, options));
}

/** Printed below the table, because a terminal cuts its cells. */
function formatMissing({ id, dependencies }: ListedSkill): string {
  return dependencies?.state === "missing"
    ? `${id}: missing: ${plain(dependencies.missing.join(", "))}\n`
    : "";
}

/** Each count that is not zero comes with the command that shows more. */
function summarize(
  { skills, invalid, shadowed, hidden }: Listing,
  { rootFlags }: Opened,
  options: CommandInput["options"],
): string {
  const explain = `skillhold explain${rootFlags}${viewerFlags(options)}`;
  const lacking = skills.filter(({ dependencies }) => dependencies?.state === "missing").length;
  const lines = [
    [skills.length, count(skills.length, "skill"), `run \`skillhold show <id>${rootFlags}\` for details`],
    [lacking, `${lacking} with missing dependencies`, `run \`skillhold deps check${rootFlags}\` for details`],
    [invalid.length, `${invalid.length} invalid`, `run \`skillhold list --invalid${rootFlags}\` to see why`],
    [shadowed.length, `${shadowed.length} shadowed`, `run \`${explain}\` to see by which`],
    [hidden.length, `${hidden.length} hidden`, `run \`${explain}\` to see why`],
  ] as const;
  return lines.map(([number, what, how]) => (number === 0 ? "" : `${what}: ${how}\n`)).join("");
}

function printNothing(io: Io, { invalid, hidden, problems }: Listing, opened: Opened): void {
  const { sources, store, mcp } = opened;
  const address = store?.address ?? opened.emptyStore;
  const isAnything = invalid.length + hidden.length > 0;
  const hasLinks = linksOf(problems).length > 0;
  if (isAnything) io.err("No skill is visible.\n");
  else if (hasLinks) io.err("No skills found: links to folders outside the source are not followed.\n");
  else io.err("No skills found.\n");
  if (sources.length === 0 && store === undefined && mcp.length === 0) {
    io.err(
      "Looked for skills/, .agents/skills/, .claude/skills/ and similar folders, here and up to the root of\n" +
        "the repository, and in your home folder. No such folder exists.\n",
    );
  }
  for (const { label, root } of sources)
    io.err(`Looked in ${plain(label)} (${plain(shortPath(io, root))}).\n`);
  if (address !== undefined) io.err(`Looked in the store (${plain(address)}).\n`);
  for (const { library } of mcp) io.err(`Queried ${library.state().source}.\n`);
  if (isAnything || hasLinks) return;
  if (sources.length === 0 && store !== undefined) {
    io.err("To publish a skill: `skillhold publish <folder>`.\n");
    return;
  }
  io.err(
    "To add a skill, create a folder with a SKILL.md, such as .agents/skills/<name>/SKILL.md.\n" +
      "To list another folder: `skillhold list <folder>`.\n",
  );
}

async function printInvalid(io: Io, { invalid }: Listing): Promise<void> {
  const paint = await paintFor(io.color);
  for (const { path, source, diagnostics } of invalid) {
    const place = shortPath(io, path);
    io.out(`${paint.bold(plain(place))} ${paint.dim(`(${plain(source)})`)}\n`);
    for (const { severity, file, line, column, code, message, fix } of diagnostics) {
      if (severity !== "error") continue;
      io.out(`  ${plain(file ?? "SKILL.md")}:${line}:${column} ${paint.red(code)} ${plain(message)}\n`);
      io.out(`    ${paint.dim(`fix: ${plain(fix)}`)}\n`);
    }
  }
  io.err(invalid.length === 0 ? "No invalid skills.\n" : `${count(invalid.length, "invalid skill")}\n`);
}
