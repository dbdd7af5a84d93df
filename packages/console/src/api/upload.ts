import { type Answer, ApiError, addressOf, csrf } from "./client.ts";

export type Uploaded = Answer<"POST /v1/skills/upload">;

export interface UploadOptions {
  readonly query: {
    readonly dryRun?: "true";
    readonly filename?: string;
    readonly id?: string;
  };
  /** Called with the part that was sent, from 0 to 1. */
  readonly onProgress: (part: number) => void;
  readonly signal: AbortSignal;
}

/** `call` for an archive. It uses XMLHttpRequest because fetch does not report upload progress. */
export function upload(body: Blob, { query, onProgress, signal }: UploadOptions): Promise<Uploaded> {
  const { promise, resolve, reject } = Promise.withResolvers<Uploaded>();
  const request = new XMLHttpRequest();
  request.open("POST", addressOf("/v1/skills/upload", {}, query));
  request.setRequestHeader("x-skillhold-csrf", csrf.read());
  request.setRequestHeader("content-type", body.type);
  request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total);
  request.onload = () => {
    const answer = readJson(request.responseText);
    // The gateway answers by the table that the types are from.
    if (request.status === 200 && answer !== undefined) resolve(answer as Uploaded);
    else reject(failureOf(request, answer));
  };
  request.onerror = () =>
    reject(
      new ApiError({
        code: "OFFLINE",
        detail: "The gateway could not be reached, or closed the connection.",
        hint: "Check that the gateway is running, then try again. Your files are still here.",
      }),
    );
  request.onabort = () => reject(new ApiError({ code: "INTERRUPTED", detail: "Cancelled." }));
  const stop = () => request.abort();
  signal.addEventListener("abort", stop, { once: true });
  request.onloadend = () => signal.removeEventListener("abort", stop);
  if (signal.aborted) reject(new ApiError({ code: "INTERRUPTED", detail: "Cancelled." }));
  else request.send(body);
  return promise;
}

function readJson(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    // A body that is not JSON does not come from the gateway; the status says more.
    return undefined;
  }
}

function failureOf({ status, statusText }: XMLHttpRequest, answer: object | undefined): ApiError {
  const plain = { code: "INTERNAL", status, detail: statusText || `The gateway answered ${status}.` };
  return new ApiError({ ...plain, ...answer });
}
