const PART_BYTES = 256 * 1024;

/** Bytes as an answer takes them: many of them part by part, so that it shows how much of them was taken. */
export function inParts<Body>(
  body: Body | Uint8Array<ArrayBuffer>,
): Body | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> {
  if (!(body instanceof Uint8Array) || body.length <= PART_BYTES) return body;
  let start = 0;
  return new ReadableStream({
    pull: (controller) => {
      controller.enqueue(body.subarray(start, start + PART_BYTES));
      start += PART_BYTES;
      if (start >= body.length) controller.close();
    },
  });
}
