import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { loadSkills } from "@modelcontextprotocol/server/ext/skills/node";
import { writeFile } from "@skillhold/cli/test/fake-host";
import { nodeHost } from "@skillhold/core/source";
import { openMcpLibrary } from "@skillhold/mcp/host";
import { expect, test } from "vitest";

const viewer = { runtime: "test" };

/** Features of real skills: quotes, comments, block text, unusual file names, binary files. */
const tree: Readonly<Record<string, string | Uint8Array>> = {
  "plain/SKILL.md": "---\nname: plain\ndescription: Does things.\n---\n# Steps\n",
  "quoted/SKILL.md": `---\nname: "quoted"\ndescription: 'It''s: "here"' # why\nversion: 1.10\nflag: true\nnothing:\n---\n\nBody.\n`,
  "quoted/references/Q&A (1) é.md": "Questions.",
  "quoted/assets/logo.bin": Uint8Array.of(0, 255, 128, 10),
  "nested/deep/blocks/SKILL.md":
    '---\nname: blocks\ndescription: >-\n  One line\n  and another.\ntags: [a, \'b c\', 3]\nmetadata:\n  author: "x"\n  version: "1.0"\nlist:\n  - a: 1\n  - b: [2]\n---\nBody.\n---\nNot a fence.\n',
  "nested/deep/blocks/scripts/run.sh": "echo hi\n",
  "crlf/SKILL.md": "---\r\nname: crlf\r\ndescription: Windows.\r\n---\r\nBody.\r\n",
};

type NodeRequest = Parameters<ReturnType<typeof toNodeHandler>>[0];

test("reads the same skills and bytes from the official server as the official client [S-57]", async () => {
  const folder = mkdtempSync(join(tmpdir(), "skillhold-official-"));
  for (const [path, content] of Object.entries(tree)) writeFile(folder, path, content);
  const catalog = await loadSkills(folder);
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "official", version: "0" }, { capabilities: { resources: {} } });
    catalog.attach(server);
    return server;
  });
  const node = toNodeHandler(handler);
  // Node types some fields as possibly undefined that the adapter types as optional.
  const http = createServer((request, response) => void node(request as NodeRequest, response));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  // A listening TCP server has a port.
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;

  const client = new Client({ name: "official", version: "0" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const official = new SkillsClient(client);
  const { skills } = await official.list();
  const host = nodeHost({ env: {}, platform: "linux", cwd: "/" });
  const library = await openMcpLibrary(
    { label: "official", server: { url } },
    { host, clock: { now: () => new Date() } },
  );
  try {
    expect(library.state()).toMatchObject({ problem: undefined, refused: [], skills: skills.length });
    expect(skills).toHaveLength(4);
    for (const skill of skills) {
      const { name } = skill.frontmatter;
      const { body, files } = await library.read(viewer, name);
      // Ours keeps line ends as they are written.
      expect(body.replaceAll("\r\n", "\n")).toBe((await official.read(skill)).body);
      const listed = skill.resources === "dynamic" ? [] : skill.resources;
      expect(files.map(({ digest, size }) => [digest, size])).toEqual(
        listed.map(({ digest, size }) => [digest, size]),
      );
      const [first] = files.filter(({ path }) => path !== "SKILL.md");
      if (first === undefined) continue;
      const { content, encoding } = await library.resource(viewer, name, first.path);
      const { bytes } = await official.read(skill, first.path);
      expect(Buffer.from(content, encoding === "utf-8" ? "utf8" : "base64")).toEqual(
        Buffer.from(bytes).subarray(0, 1024 * 1024),
      );
    }
  } finally {
    await library.close();
    await client.close();
    await handler.close();
    http.closeAllConnections();
    http.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
