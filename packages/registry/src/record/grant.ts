/** Leave to use a skill that is not public. */
export interface Grant {
  /** The skill's uid. */
  readonly skill: string;
  readonly grantee: Grantee;
  /** Whether the grantee may also publish, edit, grant and take away. */
  readonly canManage: boolean;
  /** The revision that the grantee is held to; undefined for whichever counts. */
  readonly pin: number | undefined;
  readonly grantedBy: string;
  readonly at: string;
}

export interface Grantee {
  readonly kind: "agent" | "user";
  /** The agent's key or the user's name. */
  readonly key: string;
}

/** Whether a skill in a folder is switched on, as someone said. */
export interface FolderToggle {
  readonly id: string;
  readonly isEnabled: boolean;
  readonly by: string;
  readonly at: string;
}
