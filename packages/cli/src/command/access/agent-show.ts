import { neutralText } from "@skillhold/core/text";
import { getAgent } from "@skillhold/registry/access";
import type { AgentRecord, Grant } from "@skillhold/registry/record";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { accessOptions, agentArgument, storeOption } from "../../shared-option.ts";
import { type OpenedRegistry, withRegistry } from "../../store.ts";
import { type ExitCode, type Io, plain, printData } from "../../terminal/output.ts";
import { formatTable } from "../../terminal/table.ts";
import { count, paintFor } from "../../terminal/text.ts";
import { isSkillVisible } from "../../visible-skill.ts";

const optionSpecs = [...accessOptions, storeOption] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [agentArgument],
  options: optionSpecs,
  examples: ["agent show writer"],
  run,
});

/** Prints an agent's record and its grants. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io } = input;
  const [key = ""] = input.args;
  return await withRegistry<ExitCode>(input, "read", async (opened) => {
    const agent = await getAgent(key, opened.context);
    const grants = await listGranted(agent, opened, io);
    if (io.json) printData(io, { agent, grants });
    else await printAgent(io, agent, grants);
    return 0;
  });
}

type Granted = Pick<Grant, "canManage" | "pin" | "grantedBy" | "at"> & { readonly skill: string };

/** The agent's owner sees every grant; other users see grants for skills that are visible to them. */
async function listGranted(agent: AgentRecord, opened: OpenedRegistry, io: Io): Promise<readonly Granted[]> {
  const { store } = opened.context;
  const isOwn = ({ grantee: { kind, key } }: Grant) => kind === "agent" && key === agent.key;
  const granted: Granted[] = [];
  for (const { skill: uid, canManage, pin, grantedBy, at } of (await store.listGrants()).filter(isOwn)) {
    const skill = await store.findSkill(uid);
    if (skill === undefined || skill.status === "deleted") continue;
    if (agent.owner === opened.actor.user || (await isSkillVisible(uid, opened, io)))
      granted.push({ skill: skill.id, canManage, pin, grantedBy, at });
  }
  return granted.sort((a, b) => (a.skill < b.skill ? -1 : 1));
}

async function printAgent(io: Io, agent: AgentRecord, grants: readonly Granted[]): Promise<void> {
  const paint = await paintFor(io.color);
  io.out(`${paint.bold(agent.key)}\n`);
  for (const [label, value] of fieldsOf(agent))
    if (value !== "") io.out(`  ${paint.dim(label.padEnd(10))}${neutralText(value)}\n`);
  if (grants.length > 0) {
    const columns = [
      { title: "SKILL", most: 36 },
      { title: "PIN" },
      { title: "MANAGES" },
      { title: "BY", most: 20 },
      { title: "SINCE" },
    ];
    const rows = grants.map(({ skill, pin, canManage, grantedBy, at }) =>
      [skill, String(pin ?? "-"), canManage ? "yes" : "no", grantedBy, at].map((cell) => neutralText(cell)),
    );
    io.out(
      formatTable(columns, rows, { width: io.isOutTty ? io.columns : undefined, paintTitle: paint.dim }),
    );
  }
  io.err(`${count(grants.length, "grant")} for ${plain(agent.key)}\n`);
}

function fieldsOf(agent: AgentRecord): readonly (readonly [label: string, value: string])[] {
  const { displayName, key, runtime, allow, pins, manifest, owner, createdAt, updatedAt } = agent;
  const limit = allow === undefined ? "all" : allow.length === 0 ? "none" : allow.join(", ");
  const pinned = Object.entries(pins).map(([id, revision]) => `${id}@${revision}`);
  return [
    ["name", displayName === key ? "" : displayName],
    ["runtime", runtime],
    ["skills", limit],
    ["pins", pinned.join(", ")],
    ["manifest", manifest === undefined ? "" : `${manifest.split("\n").length} lines; --json prints it`],
    ["owner", owner],
    ["added", createdAt],
    ["changed", updatedAt === createdAt ? "" : updatedAt],
  ];
}
