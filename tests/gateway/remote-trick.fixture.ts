import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import type { Meddle } from "./remote.fixture.ts";

type Json = Record<string, unknown>;
// biome-ignore lint/suspicious/noExplicitAny: what a hostile side makes of an answer has no type.
type Bend = (answer: any) => unknown;

export const LIST = /^\/v1\/skills\?/;
export const FILES = /^\/v1\/skills\/pdf\/files\?/;
const SKILL_FILE = /^\/v1\/skills\/pdf\/files\/SKILL\.md/;
export const SCRIPT = /^\/v1\/skills\/pdf\/files\/scripts/;

/** Another answer at the addresses that fit. */
function at(
  where: RegExp,
  answer: (response: ServerResponse, honest: Response) => void | Promise<void>,
): Meddle {
  return async ({ url = "" }, response, honest) => {
    if (!where.test(url)) return false;
    await answer(response, await honest());
    return true;
  };
}

export function bent(where: RegExp, bend: Bend): Meddle {
  return at(where, async (response, honest) => {
    const answer = (await honest.json()) as Json;
    sendJson(response, JSON.stringify(bend(answer) ?? answer));
  });
}

function sendJson(response: ServerResponse, text: string, headers: Record<string, string> = {}): void {
  response.writeHead(200, { "content-type": "application/json", ...headers });
  response.end(text);
}

export function sendBytes(where: RegExp, change: (bytes: Buffer) => Buffer): Meddle {
  return at(where, async (response, honest) => {
    response.writeHead(200, { "content-type": "text/plain" });
    response.end(change(Buffer.from(await honest.arrayBuffer())));
  });
}

/** Sends for as long as someone reads. */
function endless(response: ServerResponse, type: string, part: string): void {
  response.writeHead(200, { "content-type": type });
  const chunk = Buffer.from(part.repeat(64 * 1024));
  const go = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on("drain", go);
  go();
}

const fileList = {
  "another tree hash": (answer) => ({ ...answer, treeHash: `sha256:${"0".repeat(64)}` }),
  "a file less than was hashed": (answer) => ({ ...answer, files: answer.files.slice(1) }),
  "a file that may run where none may": (answer) => {
    for (const file of answer.files) file.executable = !file.executable;
  },
  "another digest of a file": (answer) => {
    answer.files[1].digest = answer.files[0].digest;
  },
  "a path that leaves the skill": (answer) => {
    answer.files[1].path = "../../../etc/cron.d/x";
  },
  "an absolute path": (answer) => {
    answer.files[1].path = "/etc/passwd";
  },
  "a path of another system": (answer) => {
    answer.files[1].path = "a\\..\\..\\b";
  },
  "two files of one name": (answer) => {
    answer.files[1].path = "SKILL.MD";
  },
  "a file where a folder is": (answer) => {
    answer.files[1].path = "scripts";
  },
  "no SKILL.md": (answer) => ({ ...answer, files: [], treeHash: answer.treeHash }),
} satisfies Record<string, Bend>;

export interface Trick {
  readonly meddle: Meddle;
  readonly code: string;
  readonly limits?: Readonly<Record<string, number>>;
}

/** What a gateway, or something before it, could do, and the failure that it must end in. */
export const tricks: Readonly<Record<string, Trick>> = {
  ...Object.fromEntries(
    Object.entries(fileList).map(([name, bend]) => [
      name,
      { meddle: bent(FILES, bend), code: "INTEGRITY_FAILED" },
    ]),
  ),
  "an entry of another SKILL.md than is listed": {
    meddle: bent(LIST, ({ skills, ...rest }) => {
      for (const { entry } of skills) entry.skillHash = `sha256:${"1".repeat(64)}`;
      return { ...rest, skills };
    }),
    code: "INTEGRITY_FAILED",
  },
  "other bytes of the same length": {
    meddle: sendBytes(SKILL_FILE, (bytes) =>
      Buffer.from(bytes).fill("x", bytes.length - 3, bytes.length - 1),
    ),
    code: "INTEGRITY_FAILED",
  },
  "fewer bytes": {
    meddle: sendBytes(SKILL_FILE, (bytes) => bytes.subarray(0, -1)),
    code: "INTEGRITY_FAILED",
  },
  "more bytes": {
    meddle: sendBytes(SKILL_FILE, (bytes) => Buffer.concat([bytes, Buffer.from("!")])),
    code: "INTEGRITY_FAILED",
  },
  "bytes without end": {
    meddle: at(SKILL_FILE, (response) => endless(response, "text/plain", "x")),
    code: "INTEGRITY_FAILED",
  },
  "bytes that are a bomb": {
    meddle: at(SKILL_FILE, (response) => {
      response.writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip" });
      response.end(gzipSync(Buffer.alloc(64 * 1024 * 1024)));
    }),
    code: "INTEGRITY_FAILED",
  },
  "a body that is cut off": {
    meddle: at(SKILL_FILE, async (response, honest) => {
      const bytes = Buffer.from(await honest.arrayBuffer());
      response.writeHead(200, { "content-length": String(bytes.length) });
      response.write(bytes.subarray(0, 5), () => response.destroy());
    }),
    code: "REMOTE_FAILED",
  },
  "a part as if it were the whole": {
    meddle: at(SKILL_FILE, async (response, honest) => {
      response.writeHead(206);
      response.end(Buffer.from(await honest.arrayBuffer()));
    }),
    code: "REMOTE_FAILED",
  },
  "the word that nothing has changed, to who has nothing": {
    meddle: at(LIST, (response) => void response.writeHead(304).end()),
    code: "REMOTE_FAILED",
  },
  "a redirect": {
    meddle: at(LIST, (response) => void response.writeHead(302, { location: "/v1/skills" }).end()),
    code: "REMOTE_FAILED",
  },
  "a redirect of bytes": {
    meddle: at(SKILL_FILE, (response) => {
      response.writeHead(307, { location: "/v1/skills/pdf/files/SKILL.md?revision=1" }).end();
    }),
    code: "REMOTE_FAILED",
  },
  "a page in place of a list": {
    meddle: at(LIST, (response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<h1>Sign in</h1>");
    }),
    code: "REMOTE_FAILED",
  },
  "a page that is said to be a list": {
    meddle: at(LIST, (response) => sendJson(response, "<h1>Sign in</h1>")),
    code: "REMOTE_FAILED",
  },
  "what is not text": {
    meddle: at(LIST, (response) => {
      response.writeHead(200, { "content-type": "application/json" }).end(Buffer.of(0xff, 0xfe));
    }),
    code: "REMOTE_FAILED",
  },
  "a list without end": {
    meddle: at(LIST, (response) => endless(response, "application/json", "[")),
    code: "REMOTE_FAILED",
    limits: { remoteAnswerBytes: 1024 * 1024 },
  },
  "an entry that is not as an entry is": {
    meddle: bent(LIST, (answer) => {
      answer.skills[0].entry.metadata = "none";
    }),
    code: "REMOTE_FAILED",
  },
  "metadata as deep as the stack": {
    meddle: at(LIST, async (response, honest) => {
      const text = await honest.text();
      const deep = `"metadata":{"a":${"[".repeat(200_000)}${"]".repeat(200_000)}}`;
      sendJson(response, text.replace(/"metadata":\{\}/, deep));
    }),
    code: "REMOTE_FAILED",
  },
  "an id that is none": {
    meddle: bent(LIST, (answer) => {
      answer.skills[0].entry.id = "../../v1/tokens";
    }),
    code: "REMOTE_FAILED",
  },
  "a list that repeats itself": {
    meddle: bent(LIST, (answer) => ({ ...answer, nextCursor: "again" })),
    code: "REMOTE_FAILED",
  },
  "pages of nothing": {
    meddle: bent(LIST, (answer) => ({ ...answer, skills: [], nextCursor: "more" })),
    code: "REMOTE_FAILED",
  },
  "a list that is too long": {
    meddle: () => false,
    code: "REMOTE_FAILED",
    limits: { remoteSkills: 1 },
  },
  "a skill that is too large": {
    meddle: () => false,
    code: "LIMIT_EXCEEDED",
    limits: { bundleFiles: 2 },
  },
  silence: { meddle: at(LIST, () => {}), code: "TIMED_OUT", limits: { remoteMs: 300 } },
  "silence after a beginning": {
    meddle: at(SKILL_FILE, (response) => {
      response.writeHead(200, { "content-type": "text/plain" });
      response.write("-");
    }),
    code: "TIMED_OUT",
    limits: { remoteMs: 300 },
  },
  "a drop now and then": {
    meddle: at(SKILL_FILE, (response) => {
      response.writeHead(200, { "content-type": "text/plain" });
      const timer = setInterval(() => response.write("-"), 50);
      response.on("close", () => clearInterval(timer));
    }),
    code: "TIMED_OUT",
    limits: { remoteMs: 300 },
  },
  "a failure that is none of the table": {
    meddle: at(LIST, (response) => {
      const problem = { code: "UNAUTHENTICATED", status: 401, detail: "x", hint: "y", requestId: "z" };
      response.writeHead(500, { "content-type": "application/problem+json" }).end(JSON.stringify(problem));
    }),
    code: "REMOTE_FAILED",
  },
  "a failure of what is in front": {
    meddle: at(LIST, (response) => void response.writeHead(502, { "content-type": "text/html" }).end("bad")),
    code: "REMOTE_FAILED",
  },
  "a connection that breaks": {
    meddle: at(LIST, (response) => void response.destroy()),
    code: "REMOTE_FAILED",
  },
};
