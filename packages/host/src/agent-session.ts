import { type Session, type SkillTool, skillTools } from "@skillhold/core/session";

/** The prompt and the tools of an agent, in no framework's own form. */
export interface AgentKit {
  /**
   * For the system prompt: the catalogue of skills, then the skills and instructions of the agent's manifest; or the
   * composed prompt of a workspace. Empty when the agent may use no skill.
   */
  readonly system: string;
  /** The tools that read, search and run skills. `tool.run(input)` answers with text for the model. */
  readonly tools: readonly SkillTool[];
  readonly session: Session;
}

async function systemPrompt(session: Session): Promise<string> {
  const composed = await session.composedPrompt();
  if (composed !== undefined) return composed;
  const catalogue = await session.catalogue();
  return [catalogue.text, session.instructions].filter((text) => text !== "").join("\n\n");
}

/** A session that opens with its first use. */
export class AgentSession implements AsyncDisposable {
  readonly #open: () => Promise<Session>;
  #session: Promise<Session> | undefined;

  constructor(open: () => Promise<Session>) {
    this.#open = open;
  }

  /** The open session. */
  open(): Promise<Session> {
    this.#session ??= this.#open();
    return this.#session;
  }

  /** The system prompt and the tools for an agent. */
  async forAgent(): Promise<AgentKit> {
    const session = await this.open();
    const system = await systemPrompt(session);
    return { system, tools: skillTools(session), session };
  }

  async close(): Promise<void> {
    await (await this.#session)?.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
