import type { Api, ConsoleApi } from "./console-api.ts";
import { type SkillFiles, skillText } from "./skill-zip.ts";

const report = (more: string) =>
  skillText(
    "weekly-report",
    "Writes the weekly report from the notes of a team. Use when someone asks for a summary of a week, a status report or minutes.",
    `# Weekly report

Collect the notes with \`scripts/collect.py\`, then write **one page**.

1. What was finished, and for whom.
2. What is stuck, and on what.
3. What comes next.

| section | words |
|---|---|
| finished | 120 |
| stuck | 80 |

| day | who |
|---|---|
| Friday | Ada |

${more}`,
    'version: 1.2.0\nlicense: Apache-2.0\nauthor: Ada\nmetadata:\n  openclaw:\n    emoji: "✎"\n    homepage: https://example.org/weekly\ntags: [writing, team]\n',
  );

const collect = `"""Collects the notes of a week."""
import json
import sys


def main(week: str) -> None:
    print(json.dumps({"week": week, "notes": []}))


if __name__ == "__main__":
    main(sys.argv[1])
`;

/** Skills in every state that the views distinguish. */
const skills: Readonly<Record<string, SkillFiles>> = {
  "weekly-report": {
    "SKILL.md": report("Keep it short."),
    "scripts/collect.py": collect,
    "references/tone.md": "# Tone\n\nPlain words, no praise.\n",
  },
  "house-style": {
    "SKILL.md": skillText("house-style", "How texts of this company are written: names, numbers, tone."),
  },
  "old-checklist": { "SKILL.md": skillText("old-checklist", "The checklist that was used until spring.") },
  "night-watch": { "SKILL.md": skillText("night-watch", "What to do when an alarm comes at night.") },
  "map-maker": {
    "SKILL.md": skillText("map-maker", "Draws maps of places from coordinates."),
    "scripts/draw.py": "import zzz_no_such_cartography\n",
  },
};

const ownSkills: Readonly<Record<string, SkillFiles>> = {
  "release-notes": {
    "SKILL.md": skillText("release-notes", "Turns merged changes into release notes for customers."),
    "scripts/notes.mjs": 'console.log("notes");\n',
  },
};

/** Fills a console with what a small team has after some weeks. */
export async function furnish({ api, apiAs, publish }: ConsoleApi): Promise<{ readonly session: string }> {
  await publish(skills);
  await publish({ "weekly-report": { ...skills["weekly-report"], "SKILL.md": report("Name who did it.") } });
  await api("POST", "/v1/skills/night-watch/toggle", { enabled: false });
  await api("POST", "/v1/skills/old-checklist/status", { status: "archived" });
  await api("POST", "/v1/agents", { key: "scribe", runtime: "langchain", displayName: "Scribe" });
  await api("POST", "/v1/agents", { key: "helpdesk", runtime: "crewai", allow: ["house-style"] });
  await api("PUT", "/v1/skills/weekly-report/grants/agent/scribe", {});
  await api("PUT", "/v1/skills/house-style/grants/agent/helpdesk", { pin: 1 });
  const scribe = await apiAs({ role: "agent", user: "ann", agent: "scribe" });
  const session = sessionOf(await scribe("POST", "/v1/sessions", { task: "Write this week's report" }));
  const call = (tool: string, input: object) =>
    scribe("POST", `/v1/sessions/${session}/tools/${tool}`, input);
  await call("list_skills", {});
  await call("read_skill", { skill_id: "weekly-report" });
  await call("read_skill_resource", { skill_id: "weekly-report", path: "references/tone.md" });
  await call("run_skill_script", {
    skill_id: "weekly-report",
    script: "scripts/collect.py",
    args: ["2026-W46"],
  });
  await askSomething(await apiAs({ role: "publisher", user: "ada" }), publish);
  await untilAsked(api);
  return { session };
}

/** Starts a run of a user's own skill. It stays unanswered, so it waits in the inbox. */
async function askSomething(ada: Api, publish: ConsoleApi["publish"]): Promise<void> {
  await publish(ownSkills, ada);
  const session = sessionOf(await ada("POST", "/v1/sessions", {}));
  const asked = ada("POST", `/v1/sessions/${session}/tools/run_skill_script`, {
    skill_id: "release-notes",
    script: "scripts/notes.mjs",
    args: ["--since", "v1.4.0"],
  });
  asked.catch(() => undefined);
}

async function untilAsked(api: Api): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if (Object(await api("GET", "/v1/approvals")).questions.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("Nobody asks.");
}

export function sessionOf(answer: unknown): string {
  return String(Object(answer).session);
}

/** Every view, and every state of one that looks like another view. */
export const viewPaths = ({ session }: { readonly session: string }) =>
  ({
    home: "/home",
    skills: "/skills",
    "skills-filtered": "/skills?q=report&order=used",
    "skills-empty": "/skills?q=zzzz",
    skill: "/skills/weekly-report",
    "skill-files": "/skills/weekly-report/files",
    "skill-file": "/skills/weekly-report/files/scripts/collect.py",
    "skill-versions": "/skills/weekly-report/versions?from=1&to=2",
    "skill-access": "/skills/weekly-report/access",
    "skill-dependencies": "/skills/map-maker/dependencies",
    "skill-activity": "/skills/weekly-report/activity",
    "skill-validation": "/skills/weekly-report/validation",
    "skill-missing": "/skills/no-such-skill",
    publish: "/publish",
    install: "/install",
    sources: "/sources",
    catalogue: "/catalogue?agent=scribe",
    search: "/search?q=report",
    proposals: "/proposals?box=open",
    "skill-proposals": "/skills/weekly-report/proposals",
    approvals: "/approvals",
    activity: "/activity",
    session: `/activity/${session}`,
    dependencies: "/dependencies",
    agents: "/agents",
    agent: "/agents/scribe",
    workspaces: "/workspaces",
    map: "/map",
    connect: "/connect",
    people: "/people",
    tokens: "/tokens",
    webhooks: "/webhooks",
    api: "/api?route=listSkills",
    settings: "/settings",
    missing: "/no/such/view",
  }) as const;
