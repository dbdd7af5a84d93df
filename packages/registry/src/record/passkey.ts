/** A WebAuthn credential with which a person signs in. */
export interface PasskeyRecord {
  /** A UUID. */
  readonly id: string;
  readonly user: string;
  /** A label for its user. */
  readonly name: string;
  /** The id that the authenticator chose, in base64url. */
  readonly credential: string;
  /** The COSE key, in base64url. */
  readonly publicKey: string;
  /** The signature counter after the last use; 0 for authenticators without one. */
  readonly counter: number;
  readonly transports: readonly string[];
  readonly createdAt: string;
  readonly lastUsedAt: string | undefined;
}

/** An identity of a single sign-on provider, and the user that it signs in as. */
export interface SsoIdentity {
  readonly issuer: string;
  readonly subject: string;
  readonly user: string;
  readonly createdAt: string;
}

/** A sign-in that one browser has started and not completed. */
export interface SignInAttempt {
  /** The SHA-256 of the secret in the browser's cookie. */
  readonly id: string;
  readonly kind: "passkey-add" | "passkey-use" | "sso";
  /** JSON that the kind defines. */
  readonly body: string;
  readonly expiresAt: string;
}
