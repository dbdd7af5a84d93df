import { z } from "zod";

/** What a token's bearer may do at a gateway; `routeTable` says what that is. */
export const Role = z.enum(["admin", "publisher", "agent", "viewer"]);
export type Role = z.infer<typeof Role>;

/** Those with which people sign in: an agent has no browser. */
export const SignInRole = Role.exclude(["agent"]);
export type SignInRole = z.infer<typeof SignInRole>;
