import { z } from "zod";
import { everyone, route } from "../route.ts";

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const Path = z.array(hash).max(128).readonly();
const count = z
  .string()
  .regex(/^[0-9]{1,15}$/)
  .transform(Number);

/** Proofs that the audit log only grows, for its monitors. A proof contains hashes, never an entry. */
export const transparencyRoutes = {
  getCheckpoint: route({
    method: "GET",
    path: "/v1/audit/checkpoint",
    tag: "audit",
    summary: "Size and root of the audit log now, with its signed note",
    roles: everyone,
    answer: z.object({
      origin: z.string(),
      size: z.int().min(0),
      root: hash,
      note: z.string().optional(),
    }),
    condition: "read",
  }),
  proveEvent: route({
    method: "GET",
    path: "/v1/audit/proof",
    tag: "audit",
    summary: "Prove that an entry is in the audit log",
    roles: everyone,
    query: z.strictObject({
      index: count.describe("The entry, which is its event's number less one."),
      size: count.describe("The size of the log that it is proved for."),
    }),
    answer: z.object({ leaf: hash, index: z.int(), size: z.int(), path: Path }),
    condition: "read",
  }),
  proveConsistency: route({
    method: "GET",
    path: "/v1/audit/consistency",
    tag: "audit",
    summary: "Prove that the audit log grew from one size to another",
    roles: everyone,
    query: z.strictObject({ from: count, to: count }),
    answer: z.object({ from: z.int(), to: z.int(), path: Path }),
    condition: "read",
  }),
} as const;
