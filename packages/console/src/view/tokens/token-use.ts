import type { Role } from "@skillhold/protocol";

/** The commands that use a token. Only the first line has the secret; the others read the variable. */
export function usesOf(
  secret: string,
  origin: string,
  role: Role,
): readonly { readonly title: string; readonly line: string }[] {
  const mcp = `skillhold mcp install --client claude-code --gateway ${origin} --token-env SKILLHOLD_TOKEN`;
  return [
    { title: "In a shell", line: `export SKILLHOLD_TOKEN=${secret}` },
    { title: "Try it", line: `curl -H "Authorization: Bearer $SKILLHOLD_TOKEN" ${origin}/v1/me` },
    ...(role === "agent" ? [{ title: "Set up an MCP client", line: mcp }] : []),
  ];
}
