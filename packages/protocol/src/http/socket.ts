import { z } from "zod";
import { SkillEvent } from "../event.ts";
import { Problem } from "./problem.ts";
import type { releaseRoutes } from "./route/release-route.ts";
import { skillRoutes } from "./route/skill-route.ts";

/** What a client sends. The first message is `hello`: with a token, or for a browser with the word that goes with its cookie. */
export const ClientMessage = z.discriminatedUnion("method", [
  z.strictObject({
    id: z.int().min(0),
    method: z.literal("hello"),
    params: z.strictObject({ token: z.string().max(256).optional(), csrf: z.string().max(256).optional() }),
  }),
  z.strictObject({
    id: z.int().min(0),
    method: z.literal("events.subscribe"),
    params: z.strictObject({
      /** Go on after this event; without it, from now on. */
      after: z.int().min(0).optional(),
      types: z.array(z.string().max(64)).max(100).optional(),
    }),
  }),
  z.strictObject({ id: z.int().min(0), method: z.literal("events.unsubscribe"), params: z.strictObject({}) }),
  z.strictObject({
    id: z.int().min(0),
    method: z.literal("skills.list"),
    params: z.record(z.string(), z.string()),
  }),
  z.strictObject({
    id: z.int().min(0),
    method: z.literal("skills.get"),
    params: z.strictObject({ id: z.string().max(64) }),
  }),
  z.strictObject({
    id: z.int().min(0),
    method: z.literal("skills.update"),
    params: z.strictObject({
      id: z.string().max(64),
      change: skillRoutes.updateSkill.body,
      ifMatch: z.string().max(256).optional(),
    }),
  }),
  z.strictObject({
    id: z.int().min(0),
    method: z.literal("approvals.answer"),
    params: z.strictObject({
      question: z.string().max(128),
      answer: z.enum(["approve", "deny"]),
      scope: z.enum(["once", "content"]).optional(),
    }),
  }),
]);
export type ClientMessage = Readonly<z.infer<typeof ClientMessage>>;

/** What goes on while dependencies are looked at and installed; told to those who listen, and kept nowhere. */
export const DependencyEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("skill.deps.checking"), slug: z.string() }),
  z.object({
    type: z.literal("skill.deps.checked"),
    slug: z.string(),
    ok: z.boolean(),
    missing: z.array(z.string()).readonly(),
  }),
  /** About all skills that something is installed for, and so for administrators alone. */
  z.object({ type: z.literal("skill.deps.installing"), deps: z.array(z.string()).readonly() }),
  z.object({
    type: z.literal("skill.deps.installed"),
    system: z.array(z.string()).readonly(),
    pip: z.array(z.string()).readonly(),
    npm: z.array(z.string()).readonly(),
    errors: z.array(z.string()).readonly(),
  }),
  z.object({ type: z.literal("skill.dep.item.installing"), slug: z.string(), dep: z.string() }),
  z.object({
    type: z.literal("skill.dep.item.installed"),
    slug: z.string(),
    dep: z.string(),
    ok: z.boolean(),
    error: z.string().optional(),
  }),
]);
export type DependencyEvent = Readonly<z.infer<typeof DependencyEvent>>;

/** What a gateway sends. */
export const ServerMessage = z.union([
  /** `etag` is what `ifMatch` of a change is checked against. */
  z.object({ id: z.int(), result: z.json(), etag: z.string().optional() }),
  z.object({ id: z.int().optional(), error: Problem }),
  /** A committed event: the number is what to go on after. */
  z.object({ seq: z.int(), event: SkillEvent }),
  /** Everything up to this number was sent, or is not for this client. */
  z.object({ seq: z.int(), caughtUp: z.literal(true) }),
  z.object({ progress: DependencyEvent }),
  /** Something that this client may see has changed; how, it asks. */
  z.object({ changed: z.object({ version: z.int() }) }),
]);
export type ServerMessage = Readonly<z.infer<typeof ServerMessage>>;

/** What `downloadSkill` gives for a format. */
export const archiveTypes = {
  zip: "application/zip",
  "tar.gz": "application/gzip",
} as const satisfies Record<NonNullable<z.infer<typeof releaseRoutes.downloadSkill.query>["format"]>, string>;
