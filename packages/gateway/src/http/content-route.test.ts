import { type ContentOperation, type Route, route, routeTable } from "@skillhold/protocol/http";
import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import type { RouteHandler } from "./handler.ts";
import { type AnyReply, respond } from "./response.ts";
import type { Served } from "./served.ts";

const digest = "sha256:aa" as Served["digest"];
const served: Served = { skill: "pdf", hash: digest, revision: 1, digest, bytes: 4 };

const readme = route({
  method: "GET",
  path: "/v1/skills/{id}/readme",
  tag: "skills",
  summary: "A new route with content",
  roles: ["agent"],
  params: z.strictObject({ id: z.string() }),
  answer: "bytes",
  content: "skill",
});

const text = route({ ...readme, path: "/v1/skills/{id}/text", answer: z.object({ text: z.string() }) });
const size = route({
  ...readme,
  path: "/v1/skills/{id}/size",
  answer: z.object({ size: z.int() }),
  content: "none",
});

test("a route with raw bytes does not compile without a statement about its content [S-53]", () => {
  const { content: _, ...unstated } = readme;
  // @ts-expect-error A row with bytes must state whether they are skill content.
  const row: Route = unstated;
  expect(row).toBeDefined();
});

test("a content route does not compile without a record of what it serves [S-53]", () => {
  const recorded: RouteHandler<typeof readme> = async () => ({
    bytes: "text",
    type: "text/plain",
    served: [served],
  });
  const unchanged: RouteHandler<typeof readme> = async () => ({ unchanged: "etag" });
  // @ts-expect-error The reply of a content route must have `served`.
  const silent: RouteHandler<typeof readme> = async () => ({ bytes: "text", type: "text/plain" });
  const json: RouteHandler<typeof text> = async () => ({ data: { text: "text" }, served: [served] });
  // @ts-expect-error The same holds for a content route with JSON.
  const silentJson: RouteHandler<typeof text> = async () => ({ data: { text: "text" } });
  expect([recorded, unchanged, silent, json, silentJson]).toHaveLength(5);
});

test("a handler of a route without content cannot read skill content [S-53]", () => {
  const viewer = { runtime: "test" };
  const content: RouteHandler<typeof text> = async ({ params }, { library }) => {
    const { body } = await library.read(viewer, params.id);
    return { data: { text: body }, served: [served] };
  };
  const read: RouteHandler<typeof size> = async ({ params }, { library }) => {
    // @ts-expect-error Only the library of a content route reads instructions.
    const { body } = await library.read(viewer, params.id);
    return { data: { size: body.length } };
  };
  const resource: RouteHandler<typeof size> = async ({ params }, { skills }) => {
    // @ts-expect-error Only the library of a content route reads files.
    const { size: bytes } = await skills.resource(viewer, params.id, "SKILL.md");
    return { data: { size: bytes } };
  };
  const open: RouteHandler<typeof size> = async (_call, { library }) => {
    // @ts-expect-error The shelf below the library would give access to the files.
    return { data: { size: library.layer.shelf.view().entries.length } };
  };
  const blob: RouteHandler<typeof size> = async (_call, { registry }) => {
    // @ts-expect-error Only the registry of a content route reads bytes by digest.
    const bytes: Uint8Array = await registry.store.blobs.get(digest);
    return { data: { size: bytes.length } };
  };
  // @ts-expect-error The differences between revisions have text of both.
  const diff: RouteHandler<typeof size> = async (_call, { diffs }) => ({ data: { size: diffs ? 1 : 0 } });
  expect([content, read, resource, open, blob, diff]).toHaveLength(6);
});

test("the routes that serve skill content are declared as content routes [S-53]", () => {
  expectTypeOf<ContentOperation>().toEqualTypeOf<
    | "getSkill"
    | "readFile"
    | "diffProposal"
    | "diffVersions"
    | "downloadSkill"
    | "exportSkills"
    | "getQuestionContent"
    | "addWorkspaceSkill"
    | "readWorkspaceFile"
    | "exportWorkspace"
  >();
  const declared = Object.entries<Route>(routeTable).filter(([, { content }]) => content === "skill");
  expect(declared.map(([operation]) => operation).sort()).toEqual(
    [
      "addWorkspaceSkill",
      "exportWorkspace",
      "readWorkspaceFile",
      "diffProposal",
      "diffVersions",
      "downloadSkill",
      "exportSkills",
      "getQuestionContent",
      "getSkill",
      "readFile",
    ].sort(),
  );
  for (const [, { roles }] of declared) expect(roles).not.toBe("anyone");
});

function send(
  row: Route,
  reply: AnyReply,
  options: { readonly method?: string; readonly etag?: string } = {},
) {
  const { method = "GET", etag } = options;
  const headers = etag === undefined ? {} : { "if-none-match": `"${etag}"` };
  const request = new Request("http://127.0.0.1/", { method, headers });
  const recorded: (readonly Served[])[] = [];
  const record = async (each: readonly Served[]) => {
    recorded.push(each);
  };
  const response = respond(row, reply, { request, requestId: "1", reserve: () => {}, record });
  return { response, recorded };
}

test("the response writer records content before it returns the response [S-53]", async () => {
  const { response, recorded } = send(readme, { bytes: "text", type: "text/plain", served: [served] });
  expect((await response).status).toBe(200);
  expect(recorded).toEqual([[served]]);
});

test("the response writer records no HEAD and no 304 response [S-53]", async () => {
  const reply = { bytes: "text", type: "text/plain", etag: "a", served: [served] };
  for (const { response, recorded } of [
    send(readme, reply, { method: "HEAD" }),
    send({ ...readme, condition: "read" }, reply, { etag: "a" }),
    send(readme, { unchanged: "a" }),
    send({ ...readme, content: "none" }, reply),
  ]) {
    await response;
    expect(recorded).toEqual([]);
  }
});

test("a content reply without a record, and a failed record, fail the request [S-53]", async () => {
  const unrecorded = send(readme, { bytes: "text", type: "text/plain" });
  await expect(unrecorded.response).rejects.toMatchObject({ code: "INTERNAL" });
  const request = new Request("http://127.0.0.1/");
  const record = () => Promise.reject(new Error("disk full"));
  const reply = { bytes: "text", type: "text/plain", served: [served] };
  const failed = respond(readme, reply, { request, requestId: "1", reserve: () => {}, record });
  await expect(failed).rejects.toThrow("disk full");
});
