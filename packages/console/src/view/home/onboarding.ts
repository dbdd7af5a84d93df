import type { Answer } from "../../api/client.ts";

/** The answers that the steps are read from; undefined while one loads. */
export interface OnboardingFacts {
  readonly hasSkill: boolean;
  readonly agents: Answer<"GET /v1/agents">["agents"];
  readonly tokens: Answer<"GET /v1/tokens">["tokens"];
}

export interface OnboardingStep {
  readonly title: string;
  readonly about: string;
  readonly href: string;
  readonly action: string;
  readonly isDone: boolean;
}

/** The steps from an empty gateway to the first call of an agent. */
export function stepsFor({ hasSkill, agents, tokens }: OnboardingFacts): readonly OnboardingStep[] {
  const ofAgents = tokens.filter(({ agent }) => agent !== undefined);
  const [agent] = agents;
  const connect = agent === undefined ? "/connect" : `/connect?agent=${encodeURIComponent(agent.key)}`;
  return [
    {
      title: "Publish a skill",
      about: "Upload a folder with a SKILL.md, or an archive with many.",
      href: "/publish",
      action: "Publish",
      isDone: hasSkill,
    },
    {
      title: "Create an agent",
      about: "An agent gets skills by grants and has tokens of its own.",
      href: "/agents?new",
      action: "New agent",
      isDone: agents.length > 0,
    },
    {
      title: "Connect a client",
      about: "Copy the settings for Claude Code, Codex, Cursor or a framework.",
      href: connect,
      action: "Connect",
      isDone: ofAgents.length > 0,
    },
    {
      title: "Receive the first call",
      about: "Start the agent. This step completes by itself.",
      href: connect,
      action: "Show settings",
      isDone: ofAgents.some(({ lastUsedAt }) => lastUsedAt !== undefined),
    },
  ];
}
