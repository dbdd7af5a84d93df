import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

// The smallest server of the SDK with a tool, for measuring the start of a server.
serveStdio(() => {
  const server = new McpServer({ name: "echo", version: "1" });
  const schema = { inputSchema: z.object({ text: z.string() }) };
  server.registerTool("echo", { description: "Echoes.", ...schema }, async ({ text }) => ({
    content: [{ type: "text", text }],
  }));
  return server;
});
