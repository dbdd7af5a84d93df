import { expect, test } from "vitest";
import { routesOf, searchRoutes } from "./api-document.ts";

const document = {
  paths: {
    "/v1/skills/{id}": {
      get: {
        operationId: "getSkill",
        summary: "Show a skill",
        tags: ["skills"],
        "x-skillhold-roles": ["admin"],
        parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
        responses: {
          200: { description: "Show", content: { "application/json": { schema: { type: "object" } } } },
        },
      },
      put: {
        operationId: "updateSkill",
        summary: "Change a skill",
        tags: ["skills"],
        "x-skillhold-roles": "anyone",
        requestBody: { required: true, content: { "application/zip": {} } },
        responses: {},
      },
    },
  },
};

test("reads the routes from the document [S-59]", () => {
  const [read, write] = routesOf(document);
  expect(read).toMatchObject({
    method: "GET",
    roles: ["admin"],
    params: [{ name: "id", place: "path", isRequired: true }],
    body: undefined,
    responses: [{ status: "200", schema: { type: "object" } }],
  });
  expect(write).toMatchObject({ roles: undefined, body: { schema: undefined, isRequired: true } });
  expect(routesOf("broken")).toEqual([]);
});

test("a search matches all words in any part [S-59]", () => {
  const routes = routesOf(document);
  expect(searchRoutes(routes, "put skill").map(({ id }) => id)).toEqual(["updateSkill"]);
  expect(searchRoutes(routes, "")).toHaveLength(2);
  expect(searchRoutes(routes, "absent")).toEqual([]);
});
