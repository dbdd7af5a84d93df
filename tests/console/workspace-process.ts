import { openSkillhold } from "@skillhold/host";

/** A workspace in a process of its own. Prints its prompt and its card after the start and after each change. */
const [folder = "", url = "", token = "", data = ""] = process.argv.slice(2);
const skillhold = await openSkillhold({
  runtime: "langgraph",
  data,
  env: { PATH: process.env["PATH"] },
  workspace: { folder, gateway: { url, token } },
  onWarning: (message) => process.stderr.write(`${message}\n`),
});
const session = skillhold.session();
const print = async () => {
  const { system } = await session.forAgent();
  const skills = skillhold.workspace?.card.skills.map(({ id }) => id);
  process.stdout.write(`${JSON.stringify({ at: Date.now(), system, skills })}\n`);
};
let printing = print();
skillhold.workspace?.onChange(() => {
  printing = printing.then(print);
});
