import { join } from "node:path";
import { hostsAt, servedUrl } from "@skillhold/host/gateway";
import { cacheFile } from "@skillhold/host/place";
import { dataFolder } from "@skillhold/host/test/place/data-folder";
import { expect, test } from "vitest";
import { readServeOptions, withDataFolder } from "./serve-option.ts";

test("accepts loopback host names at any port [S-53]", () => {
  const settings = readServeOptions({});
  const own = ["127.0.0.1:7878", "localhost:7878", "[::1]:7878"];
  expect(hostsAt({ host: "127.0.0.1", port: 7878 }, settings)).toEqual(own);
  expect(hostsAt({ host: "127.0.0.1", port: 80 }, settings)).toEqual(["127.0.0.1", "localhost", "[::1]"]);
  expect(servedUrl({ host: "127.0.0.1", port: 80 }, settings)).toBe("http://127.0.0.1");
  expect(servedUrl({ host: "::1", port: 7878 }, settings)).toBe("http://[::1]:7878");
});

test("adds only the allowed host names, as browsers write them [S-53]", () => {
  const open = readServeOptions({
    host: "0.0.0.0",
    insecureBind: true,
    allowHost: ["Team.Test", "10.0.0.5:99"],
  });
  const hosts = hostsAt({ host: "0.0.0.0", port: 7878 }, open);
  expect(hosts.slice(3)).toEqual(["team.test", "team.test:7878", "10.0.0.5:99"]);
  expect(servedUrl({ host: "0.0.0.0", port: 7878 }, open)).toBe("http://127.0.0.1:7878");
  const one = readServeOptions({ host: "10.0.0.5", insecureBind: true });
  expect(hostsAt({ host: "10.0.0.5", port: 7878 }, one).slice(3)).toEqual(["10.0.0.5:7878"]);
  const tls = readServeOptions({ behindTls: true, allowHost: ["skills.example.org"] });
  expect(hostsAt({ host: "127.0.0.1", port: 7878 }, tls).slice(3)).toEqual(["skills.example.org"]);
  expect(servedUrl({ host: "127.0.0.1", port: 7878 }, tls)).toBe("https://skills.example.org");
});

test("reads an origin as browsers send it [S-53]", () => {
  const { origins } = readServeOptions({ allowOrigin: ["https://Console.Example.org/", "http://x:8080"] });
  expect(origins).toEqual(["https://console.example.org", "http://x:8080"]);
});

test("reads the required reviewers of proposals [S-49]", () => {
  const { reviewers } = readServeOptions({ reviewer: ["user:bob", "agent:checker"] });
  expect(reviewers).toEqual([
    { kind: "user", key: "bob" },
    { kind: "agent", key: "checker" },
  ]);
  expect(() => readServeOptions({ reviewer: ["bob"] })).toThrow("not a reviewer");
});

test("reads who can use a promoted skill before its review [S-50]", () => {
  expect(readServeOptions({}).promotions).toBe("agent");
  expect(readServeOptions({ reviewPromotions: true }).promotions).toBe("review");
  expect(readServeOptions({ sharePromotions: true }).promotions).toBe("user");
  expect(() => readServeOptions({ reviewPromotions: true, sharePromotions: true })).toThrow(
    expect.objectContaining({ code: "USAGE" }),
  );
});

test("--data moves all user data to that folder [S-53]", () => {
  const io = { env: { HOME: "/home/ann", XDG_CACHE_HOME: "/cache" }, cwd: "/work" };
  expect(withDataFolder({}, io)).toEqual(io);
  const { env } = withDataFolder({ data: "gateway" }, io);
  expect(dataFolder(env)).toBe(join("/work", "gateway"));
  expect(cacheFile(env)).toBe(join("/work", "gateway", "cache", "index.db"));
});
