import { PassThrough } from "node:stream";
import { Client } from "@modelcontextprotocol/client";
import { SkillError } from "@skillhold/protocol/error";
import { describe, expect, test, vi } from "vitest";
import { connectOld, openHttp, openSkills, skill } from "./server.fixture.ts";
import { serveMcpStdio } from "./stdio.ts";

const readTool = async (client: Client) =>
  (await client.listTools()).tools.find(({ name }) => name === "read_skill")?.description ?? "";

describe("the catalogue", () => {
  test("is in the instructions and in the description of read_skill, each with the how-to first [S-21] [S-22] [S-57] [S-69]", async () => {
    const { client } = await connectOld(openSkills([skill("pdf"), skill("mail")]).skills);
    const instructions = client.getInstructions() ?? "";
    const description = await readTool(client);
    expect(instructions).toMatch(/^Before a complex task, .*read_skill\(skill_id\)/);
    expect(description).toMatch(/^Activate a skill: /);
    for (const text of [instructions, description])
      expect(text).toMatch(/• `mail` — About mail\.\n• `pdf` — About pdf\.$/);
  });

  test("has at most 2,000 characters and says how many skills search_skills finds [S-22] [S-57] [S-69]", async () => {
    const many = Array.from({ length: 400 }, (_, at) => skill(`skill-with-a-long-id-${at}`));
    for (const [list, end] of [
      [many.slice(0, 12), /\n• `skill-with-a-long-id-9` — [^\n]*$/],
      [many, /\n\d+ more: search_skills\(query\)$/],
    ] as const) {
      const { client } = await connectOld(openSkills(list).skills);
      for (const text of [client.getInstructions() ?? "", await readTool(client)]) {
        expect(text.length).toBeLessThanOrEqual(2000);
        expect(text).toMatch(end);
      }
    }
  });

  test("is absent without skills [S-21] [S-57]", async () => {
    const { client } = await connectOld(openSkills([]).skills);
    expect(client.getInstructions()).toBeUndefined();
    expect(await readTool(client)).not.toContain("Available Skills");
  });

  test.each(["2025-11-25", "2026-07-28"] as const)(
    "reaches an open client of %s again after a change [S-18] [S-57] [S-69]",
    async (revision) => {
      const { skills, library } = openSkills([skill("pdf")]);
      const { connect, handler } = openHttp(skills);
      const changed = vi.fn();
      const client = await connect(revision, {
        listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: changed } },
      });
      expect(await readTool(client)).not.toContain("`mail`");
      await vi.waitFor(() => {
        library.replace([skill("pdf"), skill("mail", { body: `${Math.random()}` })]);
        expect(changed).toHaveBeenCalled();
      }, 120_000);
      expect(await readTool(client)).toContain("• `mail` — About mail.");
      await client.close();
      await handler.close();
    },
  );
});

/** A client whose server's skills are opened by the test. */
function serveLater(catalogueMs: number) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const opening = Promise.withResolvers<ReturnType<typeof openSkills>["skills"]>();
  const serving = serveMcpStdio(opening.promise, { input, output, catalogueMs });
  const client = new Client({ name: "tester", version: "1.0.0" });
  const connected = client.connect(streamTransport(output, input));
  return { opening, serving, client, connected, end: () => input.end() };
}

function streamTransport(from: PassThrough, to: PassThrough): Parameters<Client["connect"]>[0] {
  const transport: Parameters<Client["connect"]>[0] = {
    start: async () => {
      let rest = "";
      from.on("data", (chunk: Buffer) => {
        const lines = `${rest}${chunk.toString()}`.split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) transport.onmessage?.(JSON.parse(line));
      });
      from.on("end", () => transport.onclose?.());
    },
    send: async (message) => void to.write(`${JSON.stringify(message)}\n`),
    close: async () => void to.end(),
  };
  return transport;
}

describe("a server whose skills are still opening", () => {
  test("answers initialize first, and the tools list the skills once they are open [S-57] [S-69]", async () => {
    const { opening, serving, client, connected, end } = serveLater(0);
    await connected;
    expect(client.getInstructions()).toMatch(/^Before a complex task, .*read_skill\(skill_id\)/);
    const description = readTool(client);
    opening.resolve(openSkills([skill("pdf")]).skills);
    expect(await description).toContain("• `pdf` — About pdf.");
    end();
    await serving;
  });

  test("puts the catalogue into the instructions if it is there in time [S-57]", async () => {
    const { opening, serving, client, connected, end } = serveLater(60_000);
    opening.resolve(openSkills([skill("pdf")]).skills);
    await connected;
    expect(client.getInstructions()).toContain("• `pdf` — About pdf.");
    end();
    await serving;
  });

  test("answers waiting requests with the failure and ends with it [S-57]", async () => {
    const { opening, serving, client, connected } = serveLater(0);
    await connected;
    const listed = expect(client.listTools()).rejects.toMatchObject({ code: -32602 });
    const ended = expect(serving).rejects.toMatchObject({ code: "PATH_NOT_FOUND" });
    opening.reject(new SkillError("PATH_NOT_FOUND", "The folder skills does not exist."));
    await listed;
    await ended;
  });
});
