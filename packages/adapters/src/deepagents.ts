import { Buffer } from "node:buffer";
import type { Session } from "@skillhold/core/session";
import { SkillError } from "@skillhold/protocol";
import {
  type AnyBackendProtocol,
  type BackendProtocolV2,
  CompositeBackend,
  type FileInfo,
  StateBackend,
} from "deepagents";
import type { AgentMiddleware } from "langchain";
import { name as langChainName, skillsMiddleware } from "./langchain.ts";

/** The runtime's name in the `runtime` field of a skill. */
export function name(): string {
  return "deepagents";
}

/** All names that fit: deep agents are LangChain agents. */
export function names(): readonly string[] {
  return [name(), langChainName()];
}

export interface DeepSkillsOptions {
  /** The agent's own files. Default: its state. */
  readonly backend?: AnyBackendProtocol;
}

/** Settings of `createDeepAgent`, and of its subagents the middleware. */
export interface DeepSkills {
  readonly middleware: readonly AgentMiddleware[];
  readonly backend: AnyBackendProtocol;
}

const FOLDER = "/skills/";

/**
 * Gives a deep agent the skills of a session: `createDeepAgent({ model, ...deepSkills(session) })`. The file tools read
 * them below /skills/; reading a SKILL.md activates the skill. A subagent with skills of its own gets
 * `middleware: deepSkills(itsSession).middleware`.
 */
export function deepSkills(
  session: Session,
  { backend = new StateBackend() }: DeepSkillsOptions = {},
): DeepSkills {
  return {
    middleware: [skillsMiddleware(session)],
    backend: new CompositeBackend(backend, { [FOLDER]: new SkillBackend(session) }),
  };
}

/** The skills of a session as read-only files. Listing them records no event; reading one records an activation. */
export class SkillBackend implements BackendProtocolV2 {
  readonly #session: Session;
  /** The files of the skills that were activated here, which their activation lists. */
  readonly #files = new Map<string, readonly FileInfo[]>();

  constructor(session: Session) {
    this.#session = session;
  }

  async ls(path: string) {
    const [id, ...rest] = partsOf(path);
    if (id === undefined) {
      const skills = await this.#session.list();
      return { files: skills.map((entry) => ({ path: `/${entry.id}/`, is_dir: true })) };
    }
    const files = this.#files.get(id) ?? [{ path: `/${id}/SKILL.md` }];
    const base = ["", id, ...rest, ""].join("/");
    return { files: files.filter((file) => file.path.startsWith(base)) };
  }

  async read(path: string, offset = 0, limit = 500) {
    const [id = "", ...rest] = partsOf(path);
    try {
      const { content, mimeType } = await this.#content(id, rest.join("/"));
      if (typeof content !== "string") return { content, mimeType };
      return {
        content: content
          .split("\n")
          .slice(offset, offset + limit)
          .join("\n"),
        mimeType,
      };
    } catch (error) {
      return { error: messageOf(error) };
    }
  }

  async readRaw(path: string) {
    const [id = "", ...rest] = partsOf(path);
    try {
      const data = await this.#content(id, rest.join("/"));
      return { data: { ...data, created_at: UNKNOWN, modified_at: UNKNOWN } };
    } catch (error) {
      return { error: messageOf(error) };
    }
  }

  /** Deep agents read the descriptions of their own skill list this way; this discloses the catalogue, no more. */
  async downloadFiles(paths: string[]) {
    const skills = await this.#session.list();
    return paths.map((path) => {
      const [id, file] = partsOf(path);
      const entry = skills.find((each) => each.id === id);
      if (entry === undefined || file !== "SKILL.md")
        return { path, content: null, error: "file_not_found" as const };
      const fields = `name: ${JSON.stringify(entry.id)}\ndescription: ${JSON.stringify(entry.description)}`;
      return { path, content: Buffer.from(`---\n${fields}\n---\n`), error: null };
    });
  }

  async grep() {
    return { error: "Skills cannot be searched as files. Use search_skills." };
  }

  async glob(_pattern: string, path = "/") {
    return await this.ls(path);
  }

  async write(path: string) {
    return { error: `${path} is part of a skill and read-only.` };
  }

  async edit(path: string) {
    return { error: `${path} is part of a skill and read-only.` };
  }

  async #content(id: string, path: string) {
    if (path === "SKILL.md") {
      const skill = await this.#session.activate(id, { again: true });
      if ("files" in skill)
        this.#files.set(
          id,
          skill.files.map((file) => ({ path: `/${id}/${file.path}` })),
        );
      return { content: skill.text, mimeType: "text/markdown" };
    }
    const { content, encoding, mimeType } = await this.#session.resource(id, path);
    return { content: encoding === "utf-8" ? content : Buffer.from(content, "base64"), mimeType };
  }
}

/** Skills have no file times. */
const UNKNOWN = new Date(0).toISOString();

function partsOf(path: string): readonly string[] {
  return path.split("/").filter((part) => part !== "");
}

function messageOf(error: unknown): string {
  if (error instanceof SkillError) return `${error.message} ${error.hint}`;
  throw error;
}
