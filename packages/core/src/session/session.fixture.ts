import type { SkillEvent, Trust } from "@skillhold/protocol";
import type { Host } from "@skillhold/skill";
import type { Library, SkillContent } from "../library/library.ts";
import { type MemoryLibrary, openMemoryLibrary } from "../library/open-library.ts";
import type { Viewer } from "../library/viewer.ts";
import type { SessionPorts } from "./port.ts";
import { openSession, type Session } from "./session.ts";
import type { SessionOptions } from "./session-option.ts";

export interface FixtureSkill {
  readonly folder: string;
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  readonly trust?: Trust;
}

/** A skill for a test: its folder, more frontmatter, its body, more files. */
export function skill(
  folder: string,
  { yaml = "", body = "# Steps\n", files = {}, trust = "user" as Trust } = {},
): FixtureSkill {
  const text = `---\nname: ${folder}\n${yaml.includes("description:") ? "" : "description: Does things.\n"}${yaml}\n---\n${body}`;
  return { folder, files: { "SKILL.md": text, ...files }, trust };
}

/** A machine without environment variables, programs or configuration. */
export const bareHost: Host = {
  platform: "linux",
  hasEnv: () => false,
  hasBin: () => false,
  hasConfig: () => false,
};

export function fixtureLibrary(skills: readonly FixtureSkill[]): MemoryLibrary {
  return openMemoryLibrary(skills, { host: bareHost });
}

export interface FixturePorts extends SessionPorts {
  readonly events: SkillEvent[];
}

/** A clock that ticks a second a look, ids that count, and an audit that can be read. */
export function fixturePorts(): FixturePorts {
  const events: SkillEvent[] = [];
  let looks = 0;
  let ids = 0;
  return {
    events,
    clock: { now: () => new Date(Date.UTC(2026, 0, 1, 0, 0, looks++)) },
    ids: { next: () => `session-${++ids}` },
    audit: { record: async (event) => void events.push(event) },
  };
}

export interface Fixture {
  readonly session: Session;
  readonly library: MemoryLibrary;
  readonly events: SkillEvent[];
}

export async function openFixture(
  skills: readonly FixtureSkill[],
  {
    viewer = {},
    options = {},
  }: { readonly viewer?: Partial<Viewer>; readonly options?: SessionOptions } = {},
): Promise<Fixture> {
  const library = fixtureLibrary(skills);
  const ports = fixturePorts();
  const session = await openSession(library, { runtime: "test", ...viewer }, ports, options);
  return { session, library, events: ports.events };
}

/** The same library with other answers to `read`. */
export function withRead(
  library: Library,
  change: (content: SkillContent) => Partial<SkillContent>,
): Library {
  return new Proxy(library, {
    get: (target, key) => {
      if (key === "read") {
        return async (viewer: Viewer, id: string) => {
          const content = await target.read(viewer, id);
          return { ...content, ...change(content) };
        };
      }
      const value = Reflect.get(target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
