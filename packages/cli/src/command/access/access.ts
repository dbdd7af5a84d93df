import type { Viewer } from "@skillhold/core/library";
import { nodeHost } from "@skillhold/core/source";
import { neutralText } from "@skillhold/core/text";
import { OWN_RUNTIME } from "@skillhold/host/library";
import { SkillError } from "@skillhold/protocol/error";
import { type EffectiveAccess, explainAccess, listGrants, viewerFor } from "@skillhold/registry/access";
import type { Grant, RegisteredSkill } from "@skillhold/registry/record";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { textOption } from "../../option.ts";
import { granterOptions, idArgument, storeOption } from "../../shared-option.ts";
import { type OpenedRegistry, withRegistry } from "../../store.ts";
import { type ExitCode, type Io, plain, printData } from "../../terminal/output.ts";
import { formatTable } from "../../terminal/table.ts";
import { count, paintFor } from "../../terminal/text.ts";
import { getVisibleSkill } from "../../visible-skill.ts";
import { asGranter } from "./grantee-option.ts";

const optionSpecs = [
  { flags: "--agent <key>", summary: "decide access for this agent" },
  { flags: "--user <name>", summary: "decide access for this user, or for the agent on behalf of this user" },
  { flags: "--runtime <name>", summary: "assume this agent runtime; by default the agent's own" },
  ...granterOptions,
  storeOption,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [idArgument],
  options: optionSpecs,
  examples: ["access pdf", "access pdf --agent writer --user bob"],
  run,
});

/** Prints a skill's grants and decides access for one viewer. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io } = input;
  const [wanted = ""] = input.args;
  return await withRegistry<ExitCode>(asGranter(input), "read", async (opened) => {
    const { context, actor } = opened;
    const { skill, isManaged } = await getVisibleSkill(wanted, opened, io);
    if (!isManaged) rejectOthers(input.options, opened, skill);
    const grants = isManaged ? await listGrants(wanted, { by: actor }, context) : undefined;
    const viewer = await readViewer(input.options, opened);
    const host = nodeHost({ env: io.env, platform: process.platform, cwd: io.cwd });
    // A deleted skill is visible to no viewer, so there is no decision to explain.
    const decision =
      skill.status === "deleted" ? undefined : await explainAccess(wanted, viewer, host, context);
    if (io.json) printData(io, describe({ skill, grants, viewer, decision }));
    else await printAccess(io, { skill, grants, viewer, decision });
    return 0;
  });
}

interface Answer {
  readonly skill: RegisteredSkill;
  /** Undefined when the user may use the skill but not manage it. */
  readonly grants: readonly Grant[] | undefined;
  readonly viewer: Viewer;
  readonly decision: EffectiveAccess | undefined;
}

/** Only managers of a skill may see the access of other users and agents. */
function rejectOthers(
  options: CommandInput["options"],
  { actor }: Pick<OpenedRegistry, "actor">,
  { id }: RegisteredSkill,
): void {
  const user = textOption(options, "user") ?? actor.user;
  if (user === actor.user && textOption(options, "agent") === undefined) return;
  throw new SkillError(
    "POLICY_DENIED",
    `Only managers of ${id} may see the access of other users and agents.`,
    {
      hint: "Ask its owner or an administrator.",
      details: { id },
    },
  );
}

/** The named agent, user, or agent on behalf of a user; without a name, the acting user. */
async function readViewer(
  options: CommandInput["options"],
  { context, actor }: Pick<OpenedRegistry, "context" | "actor">,
): Promise<Viewer> {
  const agent = textOption(options, "agent");
  const user = textOption(options, "user") ?? (agent === undefined ? actor.user : undefined);
  const viewer = await viewerFor(agent, user, context);
  const runtime = textOption(options, "runtime") ?? (agent === undefined ? OWN_RUNTIME : viewer.runtime);
  return { ...viewer, runtime };
}

function describe({ skill, grants, viewer, decision }: Answer) {
  const { id, uid, owner, visibility, isSystem, isEnabled, status, reason, revision } = skill;
  return {
    skill: { id, uid, owner, visibility, isSystem, isEnabled, status, reason: reason ?? null, revision },
    grants: grants?.map(({ skill: _, pin, ...grant }) => ({ ...grant, pin: pin ?? null })) ?? null,
    viewer,
    decision: decision ?? null,
  };
}

async function printAccess(io: Io, { skill, grants, viewer, decision }: Answer): Promise<void> {
  const paint = await paintFor(io.color);
  const owner = skill.isSystem ? "comes with Skillhold" : `owned by ${neutralText(skill.owner)}`;
  const state = `${skill.isEnabled ? "on" : "off"}, ${skill.status}, revision ${skill.revision}`;
  io.out(`${paint.bold(skill.id)}: ${skill.visibility}, ${owner}, ${state}\n`);
  if (grants !== undefined && grants.length > 0) {
    const columns = [
      { title: "GRANTED TO", most: 36 },
      { title: "PIN" },
      { title: "MANAGES" },
      { title: "BY", most: 20 },
      { title: "SINCE" },
    ];
    const rows = grants.map(({ grantee: { kind, key }, pin, canManage, grantedBy, at }) =>
      [`${kind} ${key}`, String(pin ?? "-"), canManage ? "yes" : "no", grantedBy, at].map((cell) =>
        neutralText(cell),
      ),
    );
    io.out(
      formatTable(columns, rows, { width: io.isOutTty ? io.columns : undefined, paintTitle: paint.dim }),
    );
  }
  if (decision !== undefined) io.out(`${plain(formatDecision(viewer, decision))}\n`);
  if (grants !== undefined) io.err(`${count(grants.length, "grant")}\n`);
}

function formatDecision(
  { agent, user, runtime }: Viewer,
  { isVisible, reason, rule, revision, message, warnings }: EffectiveAccess,
): string {
  const names = [
    ...(agent === undefined ? [] : [`the agent ${agent}`]),
    ...(user === undefined ? [] : [`the user ${user}`]),
  ];
  const verdict = isVisible ? `visible, revision ${revision} (${rule ?? reason})` : `hidden (${reason})`;
  const but = warnings.length === 0 ? "" : ` But ${warnings.join("; ")}`;
  return `For ${names.join(" and ")} in ${runtime}: ${verdict}. ${message}${but}`;
}
