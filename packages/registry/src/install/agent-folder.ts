import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { SkillError } from "@skillhold/protocol/error";

export interface AgentPlace {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Where an agent looks for skills. Both are folders; `project` starts at the project, `global` at home. */
interface AgentFolder {
  readonly project: string;
  /** Undefined for an agent that has no skills outside of projects. */
  readonly global: ((place: AgentPlace) => string) | undefined;
}

/** The folder that agents share. */
export const SHARED_FOLDER = ".agents/skills";

/** Agents whose folder has their name, or the name after `=`. */
const REGULAR =
  "aider-desk augment bob codearts-agent=codeartsdoer codebuddy codemaker codestudio command-code=commandcode continue " +
  "forgecode=forge inference-sh=inferencesh jazz junie iflow-cli=iflow kiro-cli=kiro kode lingma mcpjam minimax-code=minimax " +
  "moxby mux openhands ona qoder qwen-code=qwen reasonix rovodev roo terramind tinycloud trae zcode zencoder zenflow=zencoder " +
  "neovate pochi adal";
/** Agents that use the shared folder everywhere. */
const SHARED = "cline codex dexto fx kimi-code-cli loaf pi sarvam-code warp zed";

const xdg = ({ env, home }: AgentPlace) => env["XDG_CONFIG_HOME"] || join(home, ".config");
const at =
  (path: string) =>
  ({ home }: AgentPlace) =>
    join(home, path);
const config = (path: string) => (place: AgentPlace) => join(xdg(place), path);
/** A folder that a variable may name in place of the one at home. */
const named = (variable: string, path: string) => (place: AgentPlace) => {
  const given = place.env[variable];
  return join(given !== undefined && isAbsolute(given) ? given : join(place.home, path), "skills");
};
const openclaw = ({ home }: AgentPlace) => {
  const folders = [".openclaw", ".clawdbot", ".moltbot"].map((name) => join(home, name));
  return join(folders.find((folder) => existsSync(folder)) ?? join(home, ".openclaw"), "skills");
};

const own: Readonly<Record<string, AgentFolder>> = {
  amp: { project: SHARED_FOLDER, global: config("agents/skills") },
  replit: { project: SHARED_FOLDER, global: config("agents/skills") },
  universal: { project: SHARED_FOLDER, global: config("agents/skills") },
  antigravity: { project: SHARED_FOLDER, global: at(".gemini/antigravity/skills") },
  "antigravity-cli": { project: SHARED_FOLDER, global: at(".gemini/antigravity-cli/skills") },
  cursor: { project: SHARED_FOLDER, global: at(".cursor/skills") },
  deepagents: { project: SHARED_FOLDER, global: at(".deepagents/agent/skills") },
  droid: { project: SHARED_FOLDER, global: at(".factory/skills") },
  firebender: { project: SHARED_FOLDER, global: at(".firebender/skills") },
  "gemini-cli": { project: SHARED_FOLDER, global: at(".gemini/skills") },
  "github-copilot": { project: SHARED_FOLDER, global: at(".copilot/skills") },
  kilo: { project: SHARED_FOLDER, global: at(".kilo/skills") },
  opencode: { project: SHARED_FOLDER, global: config("opencode/skills") },
  promptscript: { project: SHARED_FOLDER, global: undefined },
  astrbot: { project: "data/skills", global: at(".astrbot/data/skills") },
  "autohand-code": { project: ".autohand/skills", global: named("AUTOHAND_HOME", ".autohand") },
  "claude-code": { project: ".claude/skills", global: named("CLAUDE_CONFIG_DIR", ".claude") },
  openclaw: { project: "skills", global: openclaw },
  cortex: { project: ".cortex/skills", global: at(".snowflake/cortex/skills") },
  crush: { project: ".crush/skills", global: at(".config/crush/skills") },
  devin: { project: ".devin/skills", global: config("devin/skills") },
  eve: { project: "agent/skills", global: undefined },
  goose: { project: ".goose/skills", global: config("goose/skills") },
  grok: { project: ".grok/skills", global: named("GROK_HOME", ".grok") },
  "hermes-agent": { project: ".hermes/skills", global: named("HERMES_HOME", ".hermes") },
  kimchi: { project: ".kimchi/skills", global: at(".config/kimchi/harness/skills") },
  "mistral-vibe": { project: ".vibe/skills", global: named("VIBE_HOME", ".vibe") },
  "posit-assistant": { project: ".posit/assistant/skills", global: at(".posit/assistant/skills") },
  "qoder-cn": { project: ".qoder/skills", global: at(".qoder-cn/skills") },
  "tabnine-cli": { project: ".tabnine/agent/skills", global: at(".tabnine/agent/skills") },
  "trae-cn": { project: ".trae/skills", global: at(".trae-cn/skills") },
  windsurf: { project: ".windsurf/skills", global: at(".codeium/windsurf/skills") },
};

const table: ReadonlyMap<string, AgentFolder> = new Map<string, AgentFolder>([
  ...REGULAR.split(" ").map((entry): readonly [string, AgentFolder] => {
    const [name = "", folder = name] = entry.split("=");
    return [name, { project: `.${folder}/skills`, global: at(`.${folder}/skills`) }];
  }),
  ...SHARED.split(" ").map((name): readonly [string, AgentFolder] => [
    name,
    { project: SHARED_FOLDER, global: at(SHARED_FOLDER) },
  ]),
  ...Object.entries(own),
]);

/** Every agent that skills can be laid out for. */
export const agentNames: readonly string[] = [...table.keys()].sort();

/** The folder in which an agent looks for skills, absolute. */
export function agentFolder(
  agent: string,
  scope: "project" | "global",
  project: string,
  place: AgentPlace,
): string {
  const found = table.get(agent);
  if (found === undefined)
    throw new SkillError("USAGE", `There is no agent ${JSON.stringify(agent.slice(0, 80))}.`, {
      hint: `Name one of: ${agentNames.join(", ")}.`,
    });
  if (scope === "project") return join(project, found.project);
  if (found.global !== undefined) return found.global(place);
  throw new SkillError("USAGE", `${agent} has skills in projects alone.`, {
    hint: "Leave out --target global.",
  });
}
