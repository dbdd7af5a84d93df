import type { Answer } from "../../api/client.ts";
import { Badge } from "../../ui/badge.tsx";
import type { Column } from "../../ui/table.tsx";
import { Ago, Mono } from "../../ui/text.tsx";
import { expiryOf } from "./token-expiry.ts";

export type Token = Answer<"GET /v1/tokens">["tokens"][number];

/** The columns of every token list. */
export const tokenColumns: readonly Column<Token>[] = [
  {
    title: "Name",
    show: ({ name, kind }) => (
      <>
        <span className="font-medium break-words">{name}</span>{" "}
        {kind === "session" && <Badge tone="info">browser</Badge>}
      </>
    ),
  },
  { title: "Role", show: ({ role }) => <Badge tone={role === "admin" ? "warn" : "neutral"}>{role}</Badge> },
  {
    title: "Acts as",
    isMinor: true,
    show: ({ user, agent }) => (
      <Mono className="whitespace-nowrap">{agent === undefined ? user : `${agent} for ${user}`}</Mono>
    ),
  },
  { title: "Created", isMinor: true, show: ({ createdAt }) => <Ago at={createdAt} /> },
  {
    title: "Last used",
    isMinor: true,
    show: ({ lastUsedAt }) =>
      lastUsedAt === undefined ? <span className="text-muted">never</span> : <Ago at={lastUsedAt} />,
  },
  {
    title: "Expires",
    show: (token) => {
      const { tone, text } = expiryOf(token, Date.now());
      if (text === undefined) return <Ago at={token.expiresAt} />;
      return (
        <Badge tone={tone} title={token.revokedAt ?? token.expiresAt}>
          {text}
        </Badge>
      );
    },
  },
];
