import type { RegistryContext } from "../record/registry-context.ts";
import type { Random } from "./token-secret.ts";

/** What the verbs of tokens work with. */
export interface TokenContext extends RegistryContext {
  /** What secrets are made of; the system's, if nothing else is said. */
  readonly random?: Random;
}
