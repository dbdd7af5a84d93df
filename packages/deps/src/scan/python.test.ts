import { expect, test } from "vitest";
import { brief, scanTable } from "./scan.fixture.ts";

/** The code of a script and the distributions it needs. */
const scripts: readonly (readonly [about: string, code: string, expected: string])[] = [
  ["one import", "import requests", "pip:requests"],
  ["several on a line, one renamed", "import alpha, beta as b", "pip:alpha pip:beta"],
  ["a dotted module", "import requests.adapters", "pip:requests"],
  ["a dotted module, renamed", "import matplotlib.pyplot as plt", "pip:matplotlib"],
  ["from a module", "from rich import print", "pip:rich"],
  ["from a dotted module", "from rich.console import Console", "pip:rich"],
  ["from, in parentheses", "from rich.table import (\n  Table,  # a comment\n  Column,\n)", "pip:rich"],
  ["from, with a star", "from rich import *", "pip:rich"],
  ["a continuation line", "from rich \\\n  import print", "pip:rich"],
  ["a continuation inside a list", "import alpha, \\\n  beta", "pip:alpha pip:beta"],
  ["an indented import", "if True:\n    import requests", "pip:requests"],
  ["an import in a function", "def f():\n    import requests\n", "pip:requests"],
  ["an import in an async method", "class A:\n  async def f(self):\n    import httpx\n", "pip:httpx"],
  ["two statements on a line", "import os; import requests", "pip:requests"],
  ["after a colon", "if x: import requests", "pip:requests"],
  ["tabs", "if x:\n\timport requests\n", "pip:requests"],
  ["CRLF", "import requests\r\nimport httpx\r\n", "pip:httpx pip:requests"],
  ["a byte order mark", "\uFEFFimport requests", "pip:requests"],
  ["no end of line and spaces", "import   requests   ", "pip:requests"],
  ["a docstring", '"""\nimport nothing\nfrom nothing import x\n"""', ""],
  ["a docstring of a function", "def f():\n  '''\n  import nothing\n  '''", ""],
  ["a comment", "# import nothing\nx = 1  # import nothing", ""],
  ["a string", "x = 'import nothing'\ny = \"from nothing import z\"", ""],
  ["an f-string", 'x = f"import {nothing} from nothing"\ny = f"""\nimport nothing\n"""', ""],
  ["a raw string over lines", 'x = r"""\nimport nothing\n"""', ""],
  ["prose in a string that starts with from", 'x = """\nfrom the beginning\nimport the data\n"""', ""],
  ["JavaScript in a string", "x = \"import a from 'b'\"", ""],
  ["a text to be written elsewhere", "open('x').write('''\nimport nothing\n''')", ""],
  [
    "the standard library",
    "import os, sys, json\nfrom pathlib import Path\nimport xml.etree.ElementTree as E",
    "",
  ],
  ["modules of newer versions", "import tomllib, zoneinfo, graphlib, annotationlib, compression.zstd", ""],
  ["the future", "from __future__ import annotations", ""],
  ["private modules of Python", "import _thread, _collections_abc", ""],
  ["modules that Python gave up", "import distutils.core, imp, cgi", ""],
  ["modules of Python 2", "import urllib2, ConfigParser", ""],
  ["relative imports", "from . import a\nfrom .b import c\nfrom ..d import e\nfrom ... import f", ""],
  [
    "guarded by ImportError",
    "try:\n  import requests\nexcept ImportError:\n  requests = None",
    "pip:requests?",
  ],
  ["guarded by ModuleNotFoundError", "try:\n  import a1\nexcept ModuleNotFoundError:\n  pass", "pip:a1?"],
  [
    "guarded by one of several",
    "try:\n  import a1\nexcept (ValueError, ImportError) as e:\n  pass",
    "pip:a1?",
  ],
  [
    "caught to end the program",
    "import sys\ntry:\n  import a1\nexcept ImportError:\n  print('install a1')\n  sys.exit(1)",
    "pip:a1",
  ],
  ["caught to exit", "try:\n  import a1\nexcept ImportError as e:\n  exit(f'no {e}')", "pip:a1"],
  ["caught to raise", "try:\n  import a1\nexcept ImportError:\n  raise SystemExit('no a1')", "pip:a1"],
  ["caught and raised again", "try:\n  import a1\nexcept ImportError:\n  log()\n  raise", "pip:a1"],
  [
    "caught to end the program on one condition",
    "try:\n  import a1\nexcept ImportError:\n  if x:\n    sys.exit(1)",
    "pip:a1?",
  ],
  [
    "caught to end the program for another failure",
    "try:\n  import a1\nexcept ImportError:\n  pass\nexcept Exception:\n  sys.exit(1)",
    "pip:a1?",
  ],
  ["guarded by Exception", "try:\n  import a1\nexcept Exception:\n  pass", "pip:a1?"],
  ["guarded by anything", "try:\n  import a1\nexcept:\n  pass", "pip:a1?"],
  ["a try for something else", "try:\n  import a1\nexcept ValueError:\n  pass", "pip:a1"],
  ["a try with only finally", "try:\n  import a1\nfinally:\n  pass", "pip:a1"],
  [
    "an else after a guarded import",
    "try:\n  import os\nexcept ImportError:\n  pass\nelse:\n  import a1",
    "pip:a1",
  ],
  ["one instead of another", "try:\n  import a1\nexcept ImportError:\n  import a2 as a1", "pip:a1? pip:a2?"],
  ["guarded further out", "try:\n  if x:\n    import a1\nexcept ImportError:\n  pass", "pip:a1?"],
  ["guarded here and needed there", "try:\n  import a1\nexcept ImportError:\n  pass\nimport a1", "pip:a1"],
  ["suppressed", "with contextlib.suppress(ImportError):\n  import a1", "pip:a1?"],
  ["a with for something else", "with open('x') as f:\n  import a1", "pip:a1"],
  ["for type checkers", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n  import a1", "pip:a1?"],
  ["for type checkers, qualified", "import typing as t\nif t.TYPE_CHECKING:\n  from a1 import B", "pip:a1?"],
  ["not for type checkers", "if not TYPE_CHECKING:\n  import a1", "pip:a1"],
  ["beside type checkers", "if TYPE_CHECKING:\n  import a1\nelse:\n  import a2", "pip:a1? pip:a2"],
  [
    "by version of Python",
    "if sys.version_info >= (3, 11):\n  import tomllib\nelse:\n  import tomli",
    "pip:tomli?",
  ],
  ["by platform", "if sys.platform == 'win32':\n  import win32com.client", "pip:pywin32(win32com)?"],
  ["dynamic", "import importlib\nimportlib.import_module('a1')", "pip:a1?"],
  ["dynamic, taken by name", 'from importlib import import_module\nm = import_module("a1.b")', "pip:a1?"],
  ["dynamic, the old way", "m = __import__('a1')", "pip:a1?"],
  ["dynamic and computed", "importlib.import_module(name)\n__import__(f'x{y}')\n__import__('a' + b)", ""],
  ["dynamic and relative", "importlib.import_module('.a1', package='x')", ""],
  ["a print statement of Python 2", "import requests\nprint 'hello'\nimport httpx", "pip:httpx pip:requests"],
  ["a broken file", "import requests\ndef f(:\n  pass\nimport httpx\n", "pip:httpx pip:requests"],
  [
    "match, walrus and star",
    "match x:\n  case [*_]:\n    import a1\nif (y := 1): import a2",
    "pip:a1 pip:a2",
  ],
  ["except groups", "try:\n  import a1\nexcept* ImportError:\n  pass", "pip:a1?"],
  ["lambda, decorators, type parameters", "@d\ndef f[T](x: T) -> T:\n  import a1\n", "pip:a1"],
  ["a module named as a keyword is soft", "import match, type", "pip:match pip:type"],
  ["PIL", "from PIL import Image", "pip:Pillow(PIL)"],
  ["cv2", "import cv2", "pip:opencv-python(cv2)"],
  ["yaml", "import yaml", "pip:PyYAML(yaml)"],
  ["bs4", "from bs4 import BeautifulSoup", "pip:beautifulsoup4(bs4)"],
  ["sklearn", "from sklearn.svm import SVC", "pip:scikit-learn(sklearn)"],
  ["docx and pptx", "import docx, pptx", "pip:python-docx(docx) pip:python-pptx(pptx)"],
  ["fitz", "import fitz", "pip:PyMuPDF(fitz)"],
  [
    "dotenv and dateutil",
    "import dotenv, dateutil.parser",
    "pip:python-dateutil(dateutil) pip:python-dotenv(dotenv)",
  ],
  ["Crypto and serial", "import Crypto.Cipher, serial", "pip:pycryptodome(Crypto) pip:pyserial(serial)"],
  ["pkg_resources", "import pkg_resources", "pip:setuptools(pkg_resources)"],
  ["mpl_toolkits", "from mpl_toolkits.mplot3d import Axes3D", "pip:matplotlib(mpl_toolkits)"],
  [
    "an API client of Google",
    "from googleapiclient.discovery import build",
    "pip:google-api-python-client(googleapiclient)",
  ],
  ["credentials of Google", "from google.oauth2 import service_account", "pip:google-auth(google)"],
  [
    "two parts of Google's cloud",
    "from google.cloud import storage, vision_v1",
    "pip:google-cloud-storage(google) pip:google-cloud-vision(google)",
  ],
  [
    "Gemini, new and old",
    "from google import genai\nimport google.generativeai as g",
    "pip:google-genai(google) pip:google-generativeai(google)",
  ],
  ["protobuf", "from google.protobuf import message", "pip:protobuf(google)"],
  [
    "Azure",
    "from azure.storage.blob import X\nfrom azure.identity import Y",
    "pip:azure-identity(azure) pip:azure-storage-blob(azure)",
  ],
  ["a namespace with a dot", "from ruamel.yaml import YAML", "pip:ruamel.yaml(ruamel)"],
  [
    "OpenTelemetry",
    "from opentelemetry import trace\nfrom opentelemetry.sdk.trace import X",
    "pip:opentelemetry-api(opentelemetry) pip:opentelemetry-sdk(opentelemetry)",
  ],
  ["an underscore", "import some_package", "pip:some_package"],
  [
    "several modules of one distribution",
    "import matplotlib.pyplot\nfrom mpl_toolkits.mplot3d import Axes3D",
    "pip:matplotlib pip:matplotlib(mpl_toolkits)",
  ],
  [
    "several modules, one of them guarded",
    "import win32com.client\ntry:\n  import pythoncom\nexcept ImportError:\n  pass",
    "pip:pywin32(pythoncom)? pip:pywin32(win32com)",
  ],
  [
    "a template of a module",
    "from {{ name }} import x\nfrom <name> import y\nimport <name>\nimport my-{{ name }}\nimport requests",
    "pip:requests",
  ],
  ["pywt and objc", "import pywt, objc", "pip:PyWavelets(pywt) pip:pyobjc-core(objc)"],
  ["names of projects elsewhere", "from src.models import A\nimport utils\nfrom scripts import x", ""],
];

test.each(scripts)("Python: %s [S-34]", async (_, code, expected) => {
  const manifest = await scanTable({ "scripts/run.py": code });
  expect(brief(manifest, ["pip", "npm", "system"])).toBe(expected);
});

/** The files of a bundle; the first one imports. */
const bundles: readonly (readonly [about: string, files: Record<string, string>, expected: string])[] = [
  ["a module beside the script", { "scripts/run.py": "import helper_x", "scripts/helper_x.py": "" }, ""],
  [
    "a package with folders",
    {
      "scripts/run.py": "from office.a.b import c",
      "scripts/office/__init__.py": "",
      "scripts/office/a/__init__.py": "",
      "scripts/office/a/b.py": "",
    },
    "",
  ],
  [
    "a package without __init__",
    { "scripts/run.py": "from office.a import c", "scripts/office/a.py": "" },
    "",
  ],
  ["the scripts folder itself", { "scripts/run.py": "from scripts import x", "scripts/x.py": "" }, ""],
  [
    "a module in a folder above",
    { "scripts/deep/er/run.py": "import common_x", "scripts/common_x.py": "" },
    "",
  ],
  [
    "a module in a folder below",
    { "scripts/run.py": "import common_x", "scripts/lib/inner/common_x.py": "" },
    "",
  ],
  ["a module at the root", { "scripts/run.py": "import common_x", "common_x.py": "" }, ""],
  [
    "a src layout",
    { "tests/run.py": "import office_x.y", "src/office_x/__init__.py": "", "src/office_x/y.py": "" },
    "",
  ],
  ["shared helpers", { "scripts/run.py": "import office_helpers", "_shared/office_helpers.py": "" }, ""],
  [
    "a compiled module",
    { "scripts/run.py": "import fast_x", "scripts/fast_x.cpython-311-x86_64-linux-gnu.so": "" },
    "",
  ],
  ["the bundle by its own name", { "scripts/run.py": "from demo_skill.scripts import x" }, ""],
  [
    "the bundle by its own name, as a package",
    { "tests/run.py": "from demo_skill import x", "__init__.py": "" },
    "",
  ],
  [
    "a bundle that is named after what it is about",
    { "scripts/run.py": "import demo_skill\nfrom demo_skill import pp\nfrom demo_skill.tl import x" },
    "pip:demo_skill",
  ],
  [
    "a folder that is named after what its script imports",
    { "examples/some_lib/run.py": "import some_lib\nfrom some_lib import A\nfrom some_lib.b import C" },
    "pip:some_lib",
  ],
  [
    "a folder that lacks what is taken out of it",
    { "templates/run.py": "from core.gone import x\nfrom core import y\nimport core", "core/a.py": "" },
    "",
  ],
  [
    "a folder elsewhere that lacks what is taken out of it",
    { "scripts/run.py": "from some_lib import A", "examples/some_lib/b.py": "" },
    "pip:some_lib",
  ],
  ["a known name beside the script", { "scripts/run.py": "import magic", "scripts/magic.py": "" }, ""],
  [
    "a known name far away",
    { "scripts/run.py": "import requests", "examples/a/b/requests.py": "" },
    "pip:requests",
  ],
  [
    "a script that is named as what it imports",
    { "scripts/tavily.py": "from tavily import TavilyClient" },
    "pip:tavily-python(tavily)",
  ],
  [
    "a folder that is named as a package",
    { "scripts/docx/make.py": "from docx import Document\nfrom docx.shared import Pt" },
    "pip:python-docx(docx)",
  ],
  [
    "a folder with a module of that name",
    { "scripts/run.py": "from docx import edit", "scripts/docx/edit.py": "" },
    "",
  ],
];

test.each(bundles)("a module of the bundle is not a dependency: %s [S-34]", async (_, files, expected) => {
  expect(brief(await scanTable(files), ["pip"])).toBe(expected);
});

test("keeps each place with its line [S-34]", async () => {
  const manifest = await scanTable({
    "scripts/b.py": "# first\n\nimport requests\n",
    "scripts/a.py": "def f():\n  from requests import get\nimport requests\n",
  });
  expect(manifest.dependencies.find(({ kind }) => kind === "pip")?.seen).toEqual([
    { file: "scripts/a.py", line: 2 },
    { file: "scripts/a.py", line: 3 },
    { file: "scripts/b.py", line: 3 },
  ]);
});

test("a module that newer Python versions lack becomes a note [S-34]", async () => {
  const { notes } = await scanTable({ "a.py": "import distutils\nimport urllib2" });
  expect(notes).toEqual([
    { file: "a.py", message: "module distutils was removed in Python 3.12" },
    { file: "a.py", message: "module urllib2 exists only in Python 2" },
  ]);
});

test("reads the code of a notebook, without magics and prose [S-34]", async () => {
  const cells = [
    { cell_type: "markdown", source: ["import nothing"] },
    {
      cell_type: "code",
      source: ["%matplotlib inline\n", "!pip install nothing\n", "import pandas as pd\n"],
    },
    { cell_type: "code", source: "%%bash\nimport nothing" },
  ];
  const manifest = await scanTable({ "a.ipynb": JSON.stringify({ cells, metadata: {} }, undefined, 1) });
  expect(brief(manifest, ["pip"])).toBe("pip:pandas");
  expect(manifest.dependencies[0]?.seen[0]?.line).toBeGreaterThan(10);
});

test.each([
  'import sys\nsys.path.insert(0, "/opt/engine")\nfrom engine import run\n',
  "import sys, os\nsys.path.append(os.environ['ENGINE'])\nimport engine\n",
  "import sys\nsys.path = ['/opt'] + sys.path\nimport engine.run\n",
  "import sys\nsys.path[0:0] = ['/opt']\nimport engine\n",
  "from sys import path\npath.insert(0, '/opt')\nimport engine\n",
  "import site\nsite.addsitedir('/opt')\nimport engine\n",
])(
  "a name that only a changed module path resolves is unknown and never a package: %j [S-34]",
  async (code) => {
    const manifest = await scanTable({ "scripts/run.py": `${code}import requests\n` });
    expect(brief(manifest, ["pip"])).toBe("pip:requests");
    expect(manifest.notes).toEqual([
      { file: "scripts/run.py", message: expect.stringMatching(/^module engine is unknown/) },
    ]);
  },
);

test("a changed module path applies to other files of the skill, and a declared package stays one [S-34]", async () => {
  const files = {
    "scripts/run.sh": 'PYTHONPATH=/opt/engine python3 "$1"\n',
    "scripts/run.py": "import engine\nimport declared_one\n",
    "requirements.txt": "declared-one\n",
  };
  const manifest = await scanTable(files);
  expect(brief(manifest, ["pip"])).toBe("pip:declared_one!");
  const plain = await scanTable({ "scripts/run.py": "import sys\nprint(sys.path[0])\nimport engine\n" });
  expect(brief(plain, ["pip"])).toBe("pip:engine");
});

test.each([
  ["argon2", "argon2-cffi"],
  ["cpuinfo", "py-cpuinfo"],
  ["demjson", "demjson"],
  ["graphql", "graphql-core"],
  ["proto", "proto-plus"],
  ["pythonjsonlogger", "python-json-logger"],
  ["azure.cognitiveservices.speech", "azure-cognitiveservices-speech"],
  ["aspose.cells", "aspose-cells-python"],
])("the module %s comes from %s [S-34]", async (module, distribution) => {
  const { dependencies } = await scanTable({ "a.py": `import ${module}\n` });
  expect(dependencies.filter(({ kind }) => kind === "pip").map(({ name }) => name)).toEqual([distribution]);
});

test("a declared tool needs no package that its process supplies [S-32] [S-34]", async () => {
  const code = "from langchain_core.tools import tool\nimport requests\n";
  const module =
    'import { tool } from "@langchain/core/tools";\nimport { z } from "zod";\nimport x from "left-pad";\n';
  const manifest = await scanTable({ "tools/a.py": code, "tools/b.mjs": module });
  expect(brief(manifest, ["pip", "npm"])).toBe("npm:left-pad pip:requests");
  expect(brief(await scanTable({ "scripts/a.py": code }), ["pip"])).toContain("langchain");
});
