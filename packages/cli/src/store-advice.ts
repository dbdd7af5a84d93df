import { didYouMean, suggest } from "@skillhold/core/session";
import type { Actor } from "@skillhold/protocol";
import { errorTable, SkillError } from "@skillhold/protocol/error";
import type { RegistryContext } from "@skillhold/registry/record";
import { isKnown } from "./known-skill.ts";
import type { Io } from "./terminal/output.ts";

interface Asked {
  readonly context: RegistryContext;
  readonly actor: Actor;
  /** The options that name the store. */
  readonly flags: string;
  readonly io: Pick<Io, "env" | "cwd">;
}

/** The table's advice is for skills in folders; of a store it can be said which skills and agents there are. */
export async function withStoreAdvice(error: unknown, asked: Asked): Promise<unknown> {
  if (!(error instanceof SkillError)) return error;
  const { code, message, details } = error;
  const isOfTable = error.hint === errorTable[code].hint;
  const hint = isOfTable ? await adviceFor(error, asked) : adviseAdmin(error, asked);
  return hint === undefined ? error : new SkillError(code, message, { hint, details, cause: error });
}

async function adviceFor({ code, details }: SkillError, asked: Asked): Promise<string | undefined> {
  const { context, flags } = asked;
  const id = typeof details["id"] === "string" ? details["id"] : "<id>";
  if (code === "REVISION_NOT_FOUND") return `\`skillhold versions ${id}${flags}\` lists the revisions.`;
  if (code === "INTEGRITY_FAILED") return `\`skillhold fsck${flags}\` says what is damaged.`;
  if (code === "AGENT_NOT_FOUND") return await adviseAgent(String(details["key"]), asked);
  if (code !== "SKILL_NOT_FOUND") return undefined;
  const ids = (await context.store.listSkills()).map((skill) => skill.id);
  if (ids.length === 0) return "`skillhold publish <folder>` takes a skill in.";
  const near = await findKnown(suggest(id, ids, MAX_NEAR), asked);
  return didYouMean(near) ?? `\`skillhold list --source registry${flags}\` shows which there are.`;
}

const MAX_NEAR = 20;
const MAX_SHOWN = 3;

/** Names of skills that are not for someone are not given away by a typing error. */
async function findKnown(ids: readonly string[], asked: Asked): Promise<readonly string[]> {
  const known: string[] = [];
  for (const id of ids) if (known.length < MAX_SHOWN && (await isKnown(id, asked, asked.io))) known.push(id);
  return known;
}

async function adviseAgent(wanted: string, { context, flags }: Asked): Promise<string> {
  const keys = (await context.store.listAgents()).map(({ key }) => key);
  return didYouMean(suggest(wanted, keys)) ?? `\`skillhold agent list${flags}\` lists the agents there are.`;
}

/** What a verb advises holds everywhere; here it can be said what to type. */
function adviseAdmin({ code, hint }: SkillError, { actor }: Asked): string | undefined {
  if (code !== "POLICY_DENIED" || actor.role === "admin" || !/administrator/.test(hint)) return undefined;
  return `${hint} Who is one adds --role admin.`;
}
