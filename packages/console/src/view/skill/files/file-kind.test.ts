import { expect, test } from "vitest";
import { languageOf, pictureType } from "./file-kind.ts";

test("the language of a file is known by its name or its first line [S-59]", () => {
  expect(languageOf("scripts/a.PY")).toBe("python");
  expect(languageOf("scripts/run", "#!/usr/bin/env python3")).toBe("python");
  expect(languageOf("scripts/run", "#!/bin/sh")).toBe("shellscript");
  expect(languageOf("LICENSE", "Apache License")).toBeUndefined();
});

test("pictures are known by their names [S-59]", () => {
  expect(pictureType("assets/logo.PNG")).toBe("image/png");
  expect(pictureType("assets/page.html")).toBeUndefined();
});
