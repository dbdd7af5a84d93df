import { writeArchive } from "@skillhold/core/archive";
import { routeTable } from "@skillhold/protocol/http";
import { afterEach, expect, test } from "vitest";
import { ServeScene, tokenOf } from "./serve.fixture.ts";

const scene = new ServeScene();
afterEach(() => scene.close());

test("answers requests while it scans a hostile skill [S-34] [S-53]", async () => {
  const gateway = await scene.serve(["--no-seed"]);
  const headers = await tokenOf(gateway);
  const send = async (id: string, script: string) => {
    const body = new Uint8Array(await writeArchive("zip", bundle(id, script)));
    const response = await fetch(`${gateway.url}/v1/skills/upload`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/zip" },
      body,
    });
    return routeTable.uploadSkills.answer.parse(await response.json()).skills;
  };
  expect(await send("plain", "ls")).toMatchObject([{ id: "plain", status: "published" }]);

  let isSent = false;
  const sending = send("hard", "case x in\n".repeat(90_000)).finally(() => {
    isSent = true;
  });
  let answers = 0;
  for (; !isSent; answers += 1) await (await fetch(`${gateway.url}/v1/me`, { headers })).text();
  expect(await sending).toMatchObject([{ id: "hard", status: "published" }]);
  // Without a thread there are about twenty responses, while the upload is received.
  expect(answers).toBeGreaterThan(100);

  const { needs } = routeTable.getDependencies.answer.parse(
    await (await fetch(`${gateway.url}/v1/skills/plain/dependencies`, { headers })).json(),
  );
  expect(needs).toMatchObject([{ name: "bash" }]);
  expect(await gateway.command.terminate()).toMatchObject({ code: 0 });
  expect(gateway.command.err).not.toMatch(/Warning|ERR_/);
});

function bundle(id: string, script: string) {
  const content = Buffer.from(`---\nname: ${id}\ndescription: About ${id}.\n---\nDo it.\n`);
  return [
    { path: `${id}/SKILL.md`, content, executable: false },
    { path: `${id}/scripts/a.sh`, content: Buffer.from(script), executable: true },
  ];
}
