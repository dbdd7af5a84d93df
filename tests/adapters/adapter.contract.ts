import type { Sandbox } from "@skillhold/core/run";
import type { Session, ToolContext } from "@skillhold/core/session";
import { bubblewrap, systemRuns } from "@skillhold/sandbox";
import { openTestSession, type TestSession } from "@skillhold/testing";
import { afterEach, describe, expect, test } from "vitest";
import { ScriptedModel, type Turn } from "./scripted-model.ts";

/** An agent of one framework, with the adapter under test and a scripted model. */
export interface Harness {
  /** The adapter's `name()`. */
  readonly runtime: string;
  readonly make: (setup: AgentSetup) => AgentUnderTest | Promise<AgentUnderTest>;
  /** Whether the framework shows the output of a script while it runs. */
  readonly streamsOutput: boolean;
  /** False for a framework whose tools get no extra argument. */
  readonly passesContext?: boolean;
  /** False for a framework that writes its prompt once per run. */
  readonly refreshesInRun?: boolean;
  /** False for a framework that cannot save a run which waits for an answer. */
  readonly savesRuns?: boolean;
}

export interface AgentSetup {
  readonly sessionOf: (user: string) => Promise<Session>;
  readonly model: ScriptedModel;
  readonly instructions: string;
  /** The host's own tool, `lookup({ word })`. */
  readonly lookup: (word: string, context: ToolContext | undefined) => string;
  /** Called with each part of a script's output, where the framework streams it. */
  readonly onOutput?: (text: string) => void;
}

export interface AgentUnderTest {
  run(user: string, prompt: string, signal?: AbortSignal): Promise<Step>;
  close?(): Promise<void>;
}

/** A finished run, or one that waits for an answer. */
export interface Step {
  readonly text: string;
  readonly question: string | undefined;
  /** Continues from the serialized state, as another process would, with the sessions of `sessionOf`. */
  answer(isApproved: boolean): Promise<Step>;
}

const frontmatter = (name: string, more = "") =>
  `---\nname: ${name}\ndescription: Handles ${name} tasks.\n${more}---\n`;

const skills = [
  {
    folder: "greeter",
    trust: "org",
    files: {
      "SKILL.md": `${frontmatter("greeter")}Say hello politely.\n`,
      "references/tone.md": "Use a warm tone.",
      "scripts/hello.sh": 'echo "hello $1 from the sandbox"',
    },
  },
  {
    folder: "stranger",
    trust: "third_party",
    files: {
      "SKILL.md": `${frontmatter("stranger")}Run the script.\n`,
      "scripts/act.sh": 'echo "acted on $1"',
    },
  },
  {
    folder: "strict",
    trust: "org",
    files: {
      "SKILL.md": `${frontmatter("strict", "allowed-tools: Read Skill(stranger)\n")}Only read.\n`,
    },
  },
  {
    folder: "slow",
    trust: "org",
    files: {
      "SKILL.md": `${frontmatter("slow")}Wait.\n`,
      "scripts/wait.sh": "echo started; sleep 600",
    },
  },
  {
    folder: "counter",
    trust: "org",
    files: {
      "SKILL.md": `${frontmatter("counter")}Count with the tool.\n`,
      "tools/count.mjs":
        'export const count = { description: "Counts letters.", inputSchema: { type: "object" }, run: (input) => input.word.length };',
    },
  },
  {
    folder: "elsewhere",
    trust: "org",
    files: { "SKILL.md": `${frontmatter("elsewhere", "runtime: [some-other-agent]\n")}Hidden.\n` },
  },
] as const;

const read = (skill_id: string): Turn => ({ calls: [{ name: "read_skill", input: { skill_id } }] });
const run = (skill_id: string, script: string, ...args: string[]): Turn => ({
  calls: [{ name: "run_skill_script", input: { skill_id, script, args } }],
});
const lookup: Turn = { calls: [{ name: "lookup", input: { word: "owl" } }] };
const done: Turn = { text: "Done." };

/** The behavior that every adapter has, with the real framework. */
export function describeAdapter(harness: Harness): void {
  const open: AsyncDisposable[] = [];
  afterEach(async () => {
    for (const each of open.splice(0).reverse()) await each[Symbol.asyncDispose]();
  });

  /** An agent whose model plays one script for the prompt "go". */
  async function start(
    script: readonly Turn[] | Readonly<Record<string, readonly Turn[]>>,
    before?: (call: number, testing: TestSession) => void,
  ) {
    const { sandbox, started } = watchedSandbox();
    const testing = await openTestSession(skills, {
      runtime: harness.runtime,
      user: "ada",
      runs: systemRuns({ sandbox }),
    });
    open.push(testing);
    const scripts = isList(script) ? { go: script } : script;
    const model = new ScriptedModel(scripts, (call) => before?.(call, testing));
    const contexts: (ToolContext | undefined)[] = [];
    const outputs: string[] = [];
    const sessions = new Map<string, Session>([["ada", testing.session]]);
    const setup: AgentSetup = {
      sessionOf: async (user) => {
        const session = sessions.get(user) ?? testing.session;
        return session;
      },
      model,
      instructions: "You are the host's agent.",
      lookup: (word, context) => {
        contexts.push(context);
        return `found ${word}`;
      },
      onOutput: (text) => outputs.push(text),
    };
    const agent = await harness.make(setup);
    open.push({ [Symbol.asyncDispose]: async () => await agent.close?.() });
    const types = () => testing.events.map(({ type }) => type as string);
    return { ...testing, agent, model, contexts, outputs, sessions, types, started };
  }

  describe("the prompt", () => {
    test("has the host's instructions and the catalogue of the agent's skills [S-58]", async () => {
      const { agent, model } = await start([done]);
      expect((await agent.run("ada", "go")).text).toContain("Done.");
      expect(model.calls[0]?.system).toContain("You are the host's agent.");
      expect(model.calls[0]?.system).toContain("Handles greeter tasks.");
      expect(model.calls[0]?.system).not.toContain("elsewhere");
    });

    test.skipIf(harness.refreshesInRun === false)(
      "follows a change of the catalogue between two steps, and is the same without one [S-58]",
      async () => {
        const { agent, model } = await start(
          [read("greeter"), read("greeter"), read("greeter"), done],
          (call, { library }) => {
            if (call !== 1) return;
            library.replace([
              ...skills,
              { folder: "added", files: { "SKILL.md": `${frontmatter("added")}New.\n` } },
            ]);
          },
        );
        await agent.run("ada", "go");
        const systems = model.calls.map(({ system }) => system);
        expect(systems[1]).toBe(systems[0]);
        expect(systems[2]).toContain("Handles added tasks.");
        expect(systems[3]).toBe(systems[2]);
      },
    );
  });

  describe("the skill tools", () => {
    test("activate a skill and read one of its files [S-58]", async () => {
      const { agent, model, types } = await start([
        read("greeter"),
        {
          calls: [
            { name: "read_skill_resource", input: { skill_id: "greeter", path: "references/tone.md" } },
          ],
        },
        done,
      ]);
      await agent.run("ada", "go");
      expect(model.calls[1]?.text).toContain("Say hello politely.");
      expect(model.calls[2]?.text).toContain("Use a warm tone.");
      expect(types()).toEqual(["session.opened", "skill.activated", "skill.resource_read"]);
    });

    test("run a script in the sandbox [S-58]", async () => {
      const { agent, model, types, outputs } = await start([
        run("greeter", "scripts/hello.sh", "world"),
        done,
      ]);
      expect((await agent.run("ada", "go")).question).toBeUndefined();
      expect(model.calls[1]?.text).toContain("hello world from the sandbox");
      expect(types()).toEqual(["session.opened", "run.requested", "run.approved", "skill.script_executed"]);
      expect(outputs.some((text) => text.includes("hello world"))).toBe(harness.streamsOutput);
    });

    test("list and call the tools that a skill declares [S-58]", async () => {
      const { agent, model } = await start([
        { calls: [{ name: "call_skill_tool", input: { skill_id: "counter" } }] },
        {
          calls: [
            {
              name: "call_skill_tool",
              input: { skill_id: "counter", tool: "count", input: { word: "seven" } },
            },
          ],
        },
        done,
      ]);
      await agent.run("ada", "go");
      expect(model.calls[1]?.text).toContain("Counts letters.");
      expect(model.calls[2]?.text).toMatch(/skill_output[^>]*>\\*n?5/);
    });

    test("give the model the reason of a failure [S-58]", async () => {
      const { agent, model } = await start([read("no-such-skill"), done]);
      expect((await agent.run("ada", "go")).text).toContain("Done.");
      expect(model.calls[1]?.text).toContain("no-such-skill");
    });
  });

  describe("the guard", () => {
    test("blocks a tool of the host that an active skill does not allow, and says why [S-30] [S-58]", async () => {
      const { agent, model, contexts, events } = await start([read("strict"), lookup, done]);
      expect((await agent.run("ada", "go")).text).toContain("Done.");
      expect(contexts).toEqual([]);
      expect(model.calls[2]?.text).toMatch(/strict/);
      expect(model.calls[2]?.text).toContain("deactivate_skill");
      const denials = events.filter(({ type }) => type === "skill.denied");
      expect(denials).toEqual([expect.objectContaining({ act: "use_tool", reason: "TOOL_BLOCKED" })]);
    });

    test.skipIf(harness.passesContext === false)(
      "gives each call of the host's tools the active skills [S-31] [S-58]",
      async () => {
        const { agent, model, contexts, session } = await start([read("greeter"), lookup, done]);
        await agent.run("ada", "go");
        expect(model.calls[2]?.text).toContain("found owl");
        expect(contexts).toEqual([
          expect.objectContaining({
            session: session.id,
            user: "ada",
            activeSkills: [expect.objectContaining({ id: "greeter" })],
          }),
        ]);
      },
    );
  });

  describe("an approval", () => {
    const script = [run("stranger", "scripts/act.sh", "it"), done];
    const runs = (types: readonly string[]) =>
      types.filter((type) => /^(run|approval|skill\.(denied|script_executed))/.test(type));

    test("is asked for in the framework's own form, without a record [S-58]", async () => {
      const { agent, types } = await start(script);
      const step = await agent.run("ada", "go");
      expect(step.question).toContain("scripts/act.sh");
      expect(step.question).toContain("stranger");
      expect(runs(types())).toEqual([]);
    });

    test("lets the script run once when it is granted [S-28] [S-58]", async () => {
      const { agent, model, types, events } = await start(script);
      const after = await (await agent.run("ada", "go")).answer(true);
      expect(after).toMatchObject({ text: expect.stringContaining("Done."), question: undefined });
      expect(model.calls[1]?.text).toContain("acted on it");
      expect(runs(types())).toEqual([
        "run.requested",
        "approval.granted",
        "run.approved",
        "skill.script_executed",
      ]);
      expect(events).toContainEqual(expect.objectContaining({ type: "approval.granted", by: "ada" }));
    });

    test("keeps the script from running when it is refused [S-28] [S-58]", async () => {
      const { agent, model, types } = await start(script);
      const after = await (await agent.run("ada", "go")).answer(false);
      expect(after.text).toContain("Done.");
      expect(model.calls[1]?.text).not.toContain("acted on it");
      expect(types()).not.toContain("run.approved");
    });

    test.skipIf(harness.savesRuns === false)(
      "survives a restart, and so do the limits of the active skill [S-58]",
      async () => {
        const {
          agent,
          model,
          session,
          sessions,
          open: openAnother,
          contexts,
        } = await start([read("strict"), ...script.slice(0, 1), lookup, done]);
        const step = await agent.run("ada", "go");
        expect(step.question).toBeDefined();
        const saved = JSON.parse(JSON.stringify(session.snapshot()));
        await session.close();
        sessions.set("ada", await openAnother({ user: "ada", session: { resume: saved } }));
        await step.answer(true);
        expect(model.calls[2]?.text).toContain("acted on it");
        expect(contexts).toEqual([]);
        expect(model.calls[3]?.text).toContain("deactivate_skill");
      },
    );

    test("is void when the skill changed after the question [S-28] [S-58]", async () => {
      const { agent, library, types } = await start(script);
      const step = await agent.run("ada", "go");
      library.replace([
        {
          folder: "stranger",
          trust: "third_party",
          files: { ...skills[1].files, "scripts/act.sh": "echo other" },
        },
      ]);
      await step.answer(true);
      expect(types()).not.toContain("run.approved");
    });
  });

  describe("a run", () => {
    test("ends its script when it is aborted [S-58]", async () => {
      const abort = new AbortController();
      const { agent, events, started } = await start([run("slow", "scripts/wait.sh"), done]);
      const running = agent.run("ada", "go", abort.signal).catch((error: unknown) => error);
      await started;
      abort.abort();
      await running;
      await expect
        .poll(() => events.filter(({ type }) => type === "skill.script_executed"))
        .toEqual([expect.objectContaining({ outcome: "aborted" })]);
    });

    test("of one user neither sees nor records another user's data at the same time [S-58]", async () => {
      const {
        agent,
        model,
        sessions,
        open: openAnother,
        events,
      } = await start({
        "for ada": [read("greeter"), lookup, done],
        "for bob": [read("strict"), read("greeter"), done],
      });
      const bob = await openAnother({ user: "bob", allow: ["strict"] });
      sessions.set("bob", bob);
      await Promise.all([agent.run("ada", "for ada"), agent.run("bob", "for bob")]);
      const [ada = [], bobs = []] = ["ada", "bob"].map((user) =>
        model.calls.filter(({ conversation }) => conversation.includes(`for ${user}`)),
      );
      expect(ada[0]?.system).toContain("Handles greeter tasks.");
      expect(bobs[0]?.system).not.toContain("Handles greeter tasks.");
      expect(ada[2]?.text).toContain("found owl");
      expect(bobs[2]?.text).not.toContain("Say hello politely.");
      const activated = events.filter(({ type }) => type === "skill.activated");
      expect(activated.map((event) => ("session" in event ? event.session : "")).toSorted()).toHaveLength(2);
      expect(activated).toContainEqual(expect.objectContaining({ session: bob.id, skill: "strict" }));
    });
  });
}

/** The real sandbox, and a promise that resolves when it has started a program. */
function watchedSandbox(): { readonly sandbox: Sandbox; readonly started: Promise<void> } {
  const real = bubblewrap();
  const { promise: started, resolve } = Promise.withResolvers<void>();
  const sandbox: Sandbox = {
    id: real.id,
    probe: () => real.probe(),
    start: async (spec) => {
      const program = await real.start(spec);
      resolve();
      return program;
    },
  };
  return { sandbox, started };
}

function isList(
  script: readonly Turn[] | Readonly<Record<string, readonly Turn[]>>,
): script is readonly Turn[] {
  return Array.isArray(script);
}
