import { z } from "zod";
import { SkillEvent } from "../event.ts";
import { Problem } from "./problem.ts";
import type { releaseRoutes } from "./route/release-route.ts";
import { skillRoutes } from "./route/skill-route.ts";

/**
 * A message from a client. The first one is `hello`, with a token or, in a browser, with the CSRF value of
 * its cookie.
 */
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
      /** Continue after this event; by default with new events. */
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

/** Progress of dependency checks and installations. Sent to listeners and not stored. */
export const DependencyEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("skill.deps.checking"), slug: z.string() }),
  z.object({
    type: z.literal("skill.deps.checked"),
    slug: z.string(),
    ok: z.boolean(),
    missing: z.array(z.string()).readonly(),
  }),
  /** Covers all skills, so it is sent only to administrators. */
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

/** Progress of an install or of a check for updates. Sent to the caller's own connections and not stored. */
export const InstallProgressStep = z.object({
  /** The value of `progress` in the request. */
  request: z.string(),
  stage: z.enum(["resolving", "fetching", "checking", "installing", "done"]),
  /** The skill that the step is about. */
  skill: z.string().optional(),
  done: z.int().min(0).optional(),
  total: z.int().min(0).optional(),
});
export type InstallProgressStep = Readonly<z.infer<typeof InstallProgressStep>>;

/** A message from the gateway. */
export const ServerMessage = z.union([
  /** `etag` is the value for `ifMatch` of a later change. */
  z.object({ id: z.int(), result: z.json(), etag: z.string().optional() }),
  z.object({ id: z.int().optional(), error: Problem }),
  /** A committed event with its number, to continue after it. */
  z.object({ seq: z.int(), event: SkillEvent }),
  /** All events up to this number were sent or are hidden from this client. */
  z.object({ seq: z.int(), caughtUp: z.literal(true) }),
  z.object({ progress: DependencyEvent }),
  z.object({ install: InstallProgressStep }),
  /** Something visible to this client changed; it has to read the new state. Changes of hidden skills are not sent. */
  z.object({ changed: z.literal(true) }),
]);
export type ServerMessage = Readonly<z.infer<typeof ServerMessage>>;

/** The media types of the `downloadSkill` formats. */
export const archiveTypes = {
  zip: "application/zip",
  "tar.gz": "application/gzip",
} as const satisfies Record<NonNullable<z.infer<typeof releaseRoutes.downloadSkill.query>["format"]>, string>;
