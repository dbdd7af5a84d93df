import { z } from "zod";

/** The role of a token at a gateway; `routeTable` lists its permissions. */
export const Role = z.enum(["admin", "publisher", "agent", "viewer"]);
export type Role = z.infer<typeof Role>;

/** The roles that people sign in with. Agents have no browser. */
export const SignInRole = Role.exclude(["agent"]);
export type SignInRole = z.infer<typeof SignInRole>;
