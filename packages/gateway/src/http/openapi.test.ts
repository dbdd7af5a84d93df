import { Validator } from "@seriousme/openapi-schema-validator";
import { routeTable } from "@skillhold/protocol/http";
import { expect, test } from "vitest";
import { openApi } from "./openapi.ts";

test("the document is valid OpenAPI 3.1 with an operation for each route [S-53]", async () => {
  const document = openApi("1.2.3");
  const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)));
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
  for (const [operation, { method, path }] of Object.entries(routeTable))
    expect(document.paths[path]?.[method.toLowerCase()]?.operationId).toBe(operation);
});

test("every path parameter is declared and every reference resolves [S-53]", () => {
  const document = openApi("1.2.3");
  for (const [path, methods] of Object.entries(document.paths))
    for (const { parameters = [] } of Object.values(methods)) {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: "path" }));
      expect(parameters).toEqual(expect.arrayContaining(names.map((each) => expect.objectContaining(each))));
    }
  const text = JSON.stringify(document);
  const referred = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
  expect(Object.keys(document.components["schemas"] as object)).toEqual(expect.arrayContaining(referred));
  expect(text).not.toContain("$defs");
});
