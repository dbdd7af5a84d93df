import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { makeFolder, removeFolders } from "./environment.fixture.ts";
import { installVariables } from "./install-variable.ts";

afterEach(removeFolders);

test("passes only registry, proxy and certificate variables to package managers [S-36]", async () => {
  const passed = {
    NPM_CONFIG_REGISTRY: "https://npm.example.org/",
    npm_config_userconfig: "/etc/npmrc",
    PIP_INDEX_URL: "https://pip.example.org/",
    HTTPS_PROXY: "http://proxy.example.org",
    no_proxy: "localhost",
    NODE_EXTRA_CA_CERTS: "/etc/ca.pem",
  };
  const dropped = {
    NODE_OPTIONS: "--require /x",
    PYTHONPATH: "/x",
    LD_PRELOAD: "/x",
    npm_config_ignore_scripts: "false",
    npm_config_prefix: "/",
    PIP_TARGET: "/",
    PIP_EXTRA_INDEX_URL: "https://other.example.org/",
    AWS_SECRET_ACCESS_KEY: "x",
  };
  const env = { ...passed, ...dropped, PATH: "bin:/usr/bin::/bin", HOME: makeFolder() };
  expect(await installVariables(env, "/stage")).toEqual({
    ...passed,
    PATH: "/usr/bin:/bin",
    HOME: "/stage/home",
    TMPDIR: "/stage/tmp",
    LANG: "C.UTF-8",
  });
});

test("uses the user's own settings with another HOME, unless a variable overrides them [S-36]", async () => {
  const home = makeFolder({ ".npmrc": "registry=x", ".config/pip/pip.conf": "[global]" });
  expect(await installVariables({ HOME: home }, "/stage")).toMatchObject({
    npm_config_userconfig: join(home, ".npmrc"),
    PIP_CONFIG_FILE: join(home, ".config/pip/pip.conf"),
  });
  const env = { HOME: home, PIP_CONFIG_FILE: "/etc/other.conf" };
  expect(await installVariables(env, "/stage")).toMatchObject({ PIP_CONFIG_FILE: "/etc/other.conf" });
});
