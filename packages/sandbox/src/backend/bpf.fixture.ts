/** The data that the kernel passes to a filter for one system call. */
export interface SampleCall {
  readonly arch: number;
  readonly number: number;
  readonly args?: readonly number[];
}

/** Interprets a classic BPF program and returns its result. */
export function interpret(program: Uint8Array, call: SampleCall): number {
  const code = new DataView(program.buffer, program.byteOffset, program.byteLength);
  const data = dataOf(call);
  let accumulator = 0;
  for (let at = 0; at * 8 < program.byteLength; at += 1) {
    const operation = code.getUint16(at * 8, true);
    const value = code.getUint32(at * 8 + 4, true);
    const jump = (holds: boolean): number => code.getUint8(at * 8 + (holds ? 2 : 3));
    if (operation === 0x20) accumulator = data.getUint32(value, true);
    else if (operation === 0x06) return value;
    else if (operation === 0x15) at += jump(accumulator === value);
    else if (operation === 0x35) at += jump(accumulator >= value);
    else if (operation === 0x45) at += jump((accumulator & value) !== 0);
    else throw new Error(`Unknown instruction ${operation} at ${at}.`);
  }
  throw new Error("The program ran past its end.");
}

function dataOf({ arch, number, args = [] }: SampleCall): DataView {
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, number, true);
  data.setUint32(4, arch, true);
  args.forEach((arg, index) => {
    data.setBigUint64(16 + 8 * index, BigInt(arg), true);
  });
  return data;
}
