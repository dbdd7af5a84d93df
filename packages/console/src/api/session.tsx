import type { SkillRow } from "@skillhold/protocol/http";
import { createContext, type ReactNode, useContext, useEffect } from "react";
import { type Answer, ApiError } from "./client.ts";
import { live } from "./live.ts";
import { useApi } from "./use-api.ts";

export type Me = Answer<"GET /v1/me">;

const Session = createContext<Me | undefined>(undefined);

export interface SignedInProps {
  readonly children: ReactNode;
  /** Shown to visitors who are not signed in. */
  readonly signIn: ReactNode;
  readonly waiting: ReactNode;
  readonly failed: (error: ApiError) => ReactNode;
}

/** Shows its children to signed-in users, and listens for changes while they are signed in. */
export function SignedIn({ children, signIn, waiting, failed }: SignedInProps) {
  const { data: me, error } = useApi("GET /v1/me");
  const isOut = error instanceof ApiError && error.status === 401;
  const isIn = me !== undefined && !isOut;
  useEffect(() => {
    if (!isIn) return;
    live.start();
    return () => live.stop();
  }, [isIn]);
  if (isOut) return signIn;
  if (me !== undefined) return <Session value={me}>{children}</Session>;
  return error === null ? waiting : failed(error);
}

/** The signed-in user. Contract: use only below `SignedIn`. */
export function useMe(): Me {
  const me = useContext(Session);
  if (me === undefined) throw new Error("useMe is for what is below SignedIn");
  return me;
}

export function useIsAdmin(): boolean {
  return useMe().role === "admin";
}

export function useCanPublish(): boolean {
  const { role } = useMe();
  return role === "admin" || role === "publisher";
}

type Facts = NonNullable<SkillRow["registry"]>;

/** The user's rights on skills, for display only; the gateway enforces them. */
export interface Rights {
  /** Changes, archives, deletes and grants it. */
  readonly manages: (registry: Pick<Facts, "canManage"> | undefined) => boolean;
  /** Switches it on and off for everyone; one in a folder, or of the system, is the administrators'. */
  readonly switches: (registry: Pick<Facts, "canManage" | "system"> | undefined) => boolean;
}

export function useRights(): Rights {
  const canPublish = useCanPublish();
  const isAdmin = useIsAdmin();
  return {
    manages: (registry) => canPublish && registry?.canManage === true,
    switches: (registry) =>
      registry === undefined || registry.system ? isAdmin : canPublish && registry.canManage,
  };
}
