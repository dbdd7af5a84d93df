import type { Role, SignInRole } from "@skillhold/protocol";
import type { Answer } from "../../api/client.ts";

type Token = Answer<"GET /v1/tokens">["tokens"][number];
type User = Answer<"GET /v1/users">["users"][number];

/** A person who may sign in, or owns or is granted skills. */
export interface Person {
  readonly name: string;
  /** The highest role of a valid session or token; undefined without one. */
  readonly role: Role | undefined;
  /** The role of their next sign-in with a passkey. */
  readonly nextRole: SignInRole | undefined;
  readonly isActive: boolean;
  readonly lastSeenAt: string | undefined;
  /** Valid tokens: signed-in browsers and programs. */
  readonly sessions: readonly Token[];
  readonly programs: readonly Token[];
}

const ranks: readonly Role[] = ["viewer", "agent", "publisher", "admin"];

/** The people of a gateway, by name. Users of agents are not people. */
export function peopleOf(users: readonly User[], tokens: readonly Token[], now: number): readonly Person[] {
  return users
    .filter(({ name }) => !name.startsWith("agent:"))
    .map(({ name, role: nextRole, isActive = true }) => {
      const own = tokens.filter(({ user, agent }) => user === name && agent === undefined);
      const valid = own.filter(
        ({ expiresAt, revokedAt }) => revokedAt === undefined && Date.parse(expiresAt) > now,
      );
      return {
        name,
        nextRole,
        isActive,
        role: ranks.findLast((rank) => valid.some(({ role }) => role === rank)),
        lastSeenAt: own
          .flatMap(({ lastUsedAt }) => lastUsedAt ?? [])
          .toSorted()
          .at(-1),
        sessions: valid.filter(({ kind }) => kind === "session"),
        programs: valid.filter(({ kind }) => kind === "api"),
      };
    });
}
