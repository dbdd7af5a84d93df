import { Hono } from "hono";
import { expect, test } from "vitest";
import { FirstMatchRouter } from "./first-match-router.ts";

function open() {
  const app = new Hono({ router: new FirstMatchRouter() });
  app.get("/skills/search", (c) => c.text("search"));
  app.get("/skills/:id", (c) => c.text(`get ${c.req.param("id")}`));
  app.put("/skills/:id", (c) => c.text(`put ${c.req.param("id")}`));
  app.get("/skills/:id/files/:path{.+}", (c) => c.text(JSON.stringify(c.req.param())));
  app.all("/mcp/*", (c) => c.text("mounted"));
  const get = async (path: string, method = "GET") => await (await app.request(path, { method })).text();
  return { app, get };
}

test("the first matching route answers, cached or not [S-53]", async () => {
  const { get } = open();
  for (let round = 0; round < 2; round += 1) {
    expect(await get("/skills/search")).toBe("search");
    expect(await get("/skills/a%20b")).toBe("get a b");
    expect(await get("/skills/other")).toBe("get other");
    expect(await get("/skills/other", "PUT")).toBe("put other");
    expect(await get("/skills/x/files/a/b.md")).toBe('{"id":"x","path":"a/b.md"}');
    expect(await get("/mcp/deep", "POST")).toBe("mounted");
    expect(await get("/missing")).toBe("404 Not Found");
  }
});

test("returns one handler when several routes match [S-53]", () => {
  const routes = new FirstMatchRouter<string>();
  routes.add("GET", "/skills/search", "search");
  routes.add("GET", "/skills/:id", "get");
  const [handlers] = routes.match("GET", "/skills/search");
  expect(handlers.map(([handler]) => handler)).toEqual(["search"]);
  expect(routes.match("GET", "/skills/search")).toBe(routes.match("GET", "/skills/search"));
  expect(routes.match("POST", "/skills/search")[0]).toEqual([]);
});
