/** Collects a byte stream; a single chunk is not copied. */
export async function collect(stream: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError("The stream yields a chunk that is not bytes.");
    chunks.push(chunk);
  }
  const [first] = chunks;
  return chunks.length === 1 && first !== undefined
    ? Buffer.from(first.buffer, first.byteOffset, first.length)
    : Buffer.concat(chunks);
}
