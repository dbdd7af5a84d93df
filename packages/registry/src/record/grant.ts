/** Permission to use a skill that is not public. */
export interface Grant {
  /** The skill's uid. */
  readonly skill: string;
  readonly grantee: Grantee;
  /** Whether the grantee may also publish, edit, grant and delete. */
  readonly canManage: boolean;
  /** The revision the grantee is pinned to; undefined for the current one. */
  readonly pin: number | undefined;
  readonly grantedBy: string;
  readonly at: string;
}

/** A grant to an agent of another user, which waits for the consent of that user or an administrator. */
export interface PendingGrant {
  /** The skill's uid. */
  readonly skill: string;
  /** The agent's key. */
  readonly agent: string;
  readonly canManage: boolean;
  readonly pin: number | undefined;
  readonly requestedBy: string;
  readonly at: string;
}

export interface Grantee {
  readonly kind: "agent" | "user";
  /** The agent's key or the user's name. */
  readonly key: string;
}

/** Whether a skill in a folder is enabled, as set by a user. */
export interface FolderToggle {
  readonly id: string;
  readonly isEnabled: boolean;
  readonly by: string;
  readonly at: string;
}
