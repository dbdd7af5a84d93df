import type { SignInRole } from "@skillhold/protocol";

/** A single sign-on provider, and who may enter through it. */
export interface SsoSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Absent for a public client. */
  readonly clientSecret?: string | undefined;
  /** Shown on the sign-in page. */
  readonly label: string;
  readonly scopes: readonly string[];
  /** The allowed domains of verified email addresses; empty for all. */
  readonly domains: readonly string[];
  /** The claim with the groups, and the groups that may enter; empty for all. */
  readonly groupsClaim: string;
  readonly groups: readonly string[];
  /** The roles of groups; the first that matches counts. */
  readonly roles: readonly { readonly group: string; readonly role: SignInRole }[];
  /** Whether people without an invitation get an account, and with which role. */
  readonly isOpen: boolean;
  readonly role: SignInRole;
  /** Whether signing out of the gateway also signs out at the provider. */
  readonly hasSignOut: boolean;
  readonly resolve: (host: string) => Promise<readonly string[]>;
}
