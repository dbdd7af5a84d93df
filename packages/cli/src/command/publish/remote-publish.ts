import { basename, dirname } from "node:path";
import { type ArchiveBytes, archiveInMemory, writeArchive } from "@skillhold/core/archive";
import type { Publication } from "@skillhold/core/session";
import { present } from "@skillhold/host/place";
import { errorTable, SkillError } from "@skillhold/protocol/error";
import { defaultLimits } from "@skillhold/protocol/limits";
import { stageFolder } from "@skillhold/registry/release";
import { type AnswerOf, GatewayClient } from "@skillhold/registry/remote";
import type { CommandInput } from "../../command.ts";
import { gatewayAccess } from "../../gateway/gateway-access.ts";
import { textOption } from "../../option.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";
import { openProgress } from "../../terminal/progress.ts";
import { withArchiveFile } from "./archive-file.ts";
import { asFailure, printPublications, publishExit, withResults } from "./publish-report.ts";

/** One item to publish: a skill's folder or an archive. */
export interface RemoteItem {
  readonly label: string;
  readonly path: string;
  readonly kind: "folder" | "archive";
}

/** Publishes skills at a gateway, with one result each; a failure does not stop the others. */
export async function publishRemote(
  { options, io }: Pick<CommandInput, "options" | "io">,
  address: string,
  { items, problems }: { readonly items: readonly RemoteItem[]; readonly problems: readonly string[] },
): Promise<ExitCode> {
  rejectLocal(options);
  const client = new GatewayClient(await gatewayAccess(address, io), defaultLimits);
  const query = present({
    id: textOption(options, "id"),
    dryRun: options["dryRun"] === true ? "true" : undefined,
  });
  const skills: Publication[] = [];
  const progress = openProgress(io, "publishing", { afterMs: 400 });
  try {
    for (const [index, item] of items.entries()) {
      progress.update(index, items.length, item.label);
      skills.push(...(await publishItem(item, query, client)));
    }
  } catch (error) {
    throw await withResults(io, skills, error);
  } finally {
    progress.stop();
    client.close();
  }
  if (io.json) printData(io, { skills, problems });
  else {
    await printPublications(io, skills);
    for (const problem of problems) io.err(`note: ${plain(problem)}\n`);
  }
  return publishExit(skills);
}

/** The token decides who publishes and where. */
function rejectLocal(options: CommandInput["options"]): void {
  const given = ["store", "user"].find((name) => textOption(options, name) !== undefined);
  if (given === undefined) return;
  throw new SkillError(
    "USAGE",
    `--gateway and --${given} exclude each other: the token decides the user and the store.`,
  );
}

type Query = Readonly<Record<string, string | undefined>>;

async function publishItem(
  item: RemoteItem,
  query: Query,
  client: GatewayClient,
): Promise<readonly Publication[]> {
  try {
    return await (item.kind === "folder" ? sendFolder : sendArchive)(item, query, client);
  } catch (error) {
    // These failures would repeat for every other item.
    if (error instanceof SkillError && ["REMOTE_FAILED", "UNAUTHENTICATED", "FORBIDDEN"].includes(error.code))
      throw error;
    return [asFailure(item.label, error)];
  }
}

async function sendFolder(
  { path, label }: RemoteItem,
  query: Query,
  client: GatewayClient,
): Promise<readonly Publication[]> {
  const request = { within: dirname(path), ...present({ id: query["id"] }) };
  const staged = await stageFolder(path, request, defaultLimits);
  const files = staged.files.map(({ path: file, executable, content }) => ({
    path: file,
    executable,
    content,
  }));
  const archive = archiveInMemory(await writeArchive("zip", files));
  const { data } = await client.send("uploadSkills", {
    query: { ...query, filename: `${basename(path).slice(0, 200)}.zip` },
    body: streamOf(archive),
    size: archive.size,
    type: "application/zip",
  });
  const strange = data.skills.find((each) => each.status !== "failed" && each.treeHash !== staged.treeHash);
  if (strange !== undefined)
    throw new SkillError(
      "INTEGRITY_FAILED",
      `The gateway stored other content than ${label}. Publish again, and check the gateway.`,
      {
        details: { treeHash: staged.treeHash },
      },
    );
  return data.skills.map((each) => toPublication(each, staged.omitted));
}

const PART_BYTES = 64 * 1024;

/** Streams the archive in parts. */
function streamOf(archive: ArchiveBytes): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull: async (controller) => {
      const part = new Uint8Array(Math.min(PART_BYTES, archive.size - at));
      if (part.length === 0) {
        controller.close();
        return;
      }
      await archive.read(at, part);
      at += part.length;
      controller.enqueue(part);
    },
  });
}

async function sendArchive(
  { path, label }: RemoteItem,
  query: Query,
  client: GatewayClient,
): Promise<readonly Publication[]> {
  return await withArchiveFile(path, label, defaultLimits, async (archive) => {
    const { data } = await client.send("uploadSkills", {
      query: { ...query, filename: basename(path).slice(0, 200) },
      body: streamOf(archive),
      size: archive.size,
      type: /\.zip$/i.test(path) ? "application/zip" : "application/gzip",
    });
    return data.skills.map((each) => toPublication(each, []));
  });
}

type UploadResult = AnswerOf<"uploadSkills">["skills"][number];
type Omitted = Extract<Publication, { readonly status: "published" | "unchanged" }>["omitted"];

/** Omitted files come from the local staging, because the gateway never receives them. */
function toPublication(result: UploadResult, omitted: Omitted): Publication {
  if (result.status === "failed") {
    const { code, message, hint } = result.error;
    const known = Object.hasOwn(errorTable, code) ? code : "REMOTE_FAILED";
    return { ...result, id: result.id, error: { code: known, message, hint } };
  }
  const { changes, ...published } = result;
  return { ...published, uid: result.uid, version: result.version, omitted, ...present({ changes }) };
}
