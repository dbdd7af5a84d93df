import { expect, test } from "vitest";
import { missingRoutes } from "./missing-route.ts";

const missing = missingRoutes();

test("a known path reports its methods, and an unknown path is not found [S-53]", () => {
  expect(missing("/v1/skills/pdf").details).toMatchObject({ allow: "GET, PUT, DELETE" });
  expect(missing("/v1/skills/pdf/files/a/b.txt").details).toMatchObject({ allow: "GET" });
  expect(missing("/v1/nothing").code).toBe("ROUTE_NOT_FOUND");
  expect(missing("/openapi.json").code).toBe("METHOD_NOT_ALLOWED");
});

test("a dot in a path matches only a dot [S-53]", () => {
  expect(missing("/openapiXjson").code).toBe("ROUTE_NOT_FOUND");
});
