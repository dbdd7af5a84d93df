import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { openTestSession } from "@skillhold/testing";
import { ScriptedModel } from "../tests/adapters/scripted-model.ts";
import { compare } from "./measure.ts";

const SKILLS = 40;
const STEPS = 10;

/** The time that an adapter adds to a step of its framework: the same script with and without it, 40 skills. */
export async function benchAdapter(): Promise<void> {
  const installer = fileURLToPath(new URL("../scripts/install-frameworks.mjs", import.meta.url));
  execFileSync(process.execPath, [installer], { stdio: ["ignore", "ignore", "inherit"] });
  const { stepAgents } = await import("../tests/adapters/step-agent.ts");
  const skills = Array.from({ length: SKILLS }, (_, index) => ({
    folder: `skill-${index}`,
    files: {
      "SKILL.md": `---\nname: skill-${index}\ndescription: Does the task ${index} well.\n---\nDo it.\n`,
    },
  }));
  await using testing = await openTestSession(skills);
  for (const [name, agentOf] of Object.entries(stepAgents)) {
    const bare = agentOf(scriptedModel(), STEPS);
    const adapted = agentOf(scriptedModel(), STEPS, testing.session);
    const [without = 0, withSkills = 0] = await compare([bare, adapted], 20);
    const added = (withSkills - without) / (STEPS + 1);
    const figures = `${(without / (STEPS + 1)).toFixed(2)} bare, ${added.toFixed(2)} added`;
    console.log(`adapter ${name}: ms a step: ${figures}, ${SKILLS} skills`);
  }
}

function scriptedModel(): ScriptedModel {
  const call = { calls: [{ name: "lookup", input: { word: "owl" } }] };
  return new ScriptedModel({ go: [...Array.from({ length: STEPS }, () => call), { text: "Done." }] });
}
