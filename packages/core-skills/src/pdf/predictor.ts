/** How rows were written as differences before they were compressed. */
export interface Predictor {
  readonly predictor: number;
  readonly colors: number;
  readonly bitDepth: number;
  readonly columns: number;
}

/** Undoes the predictors of PNG (10 and above) and of TIFF (2, for whole bytes). */
export function undoPredictor(bytes: Uint8Array, shape: Predictor): Uint8Array {
  const step = Math.max(1, Math.ceil((shape.colors * shape.bitDepth) / 8));
  const length = Math.ceil((shape.columns * shape.colors * shape.bitDepth) / 8);
  if (shape.predictor < 2 || length < 1) return bytes;
  if (shape.predictor === 2) return undoTiff(bytes, length, step);
  const rows = Math.floor(bytes.length / (length + 1));
  const plain = new Uint8Array(rows * length);
  for (let row = 0; row < rows; row += 1) {
    const filter = bytes[row * (length + 1)] ?? 0;
    for (let at = 0; at < length; at += 1) {
      const here = row * length + at;
      const left = at >= step ? (plain[here - step] ?? 0) : 0;
      const up = row > 0 ? (plain[here - length] ?? 0) : 0;
      const corner = row > 0 && at >= step ? (plain[here - length - step] ?? 0) : 0;
      const value = bytes[row * (length + 1) + 1 + at] ?? 0;
      plain[here] = value + predict(filter, left, up, corner);
    }
  }
  return plain;
}

function undoTiff(bytes: Uint8Array, length: number, step: number): Uint8Array {
  const plain = bytes.slice();
  for (let at = 0; at < plain.length; at += 1) {
    if (at % length >= step) plain[at] = (plain[at] ?? 0) + (plain[at - step] ?? 0);
  }
  return plain;
}

function predict(filter: number, left: number, up: number, corner: number): number {
  switch (filter) {
    case 1:
      return left;
    case 2:
      return up;
    case 3:
      return (left + up) >> 1;
    case 4:
      return paeth(left, up, corner);
    default:
      return 0;
  }
}

function paeth(left: number, up: number, corner: number): number {
  const estimate = left + up - corner;
  const toLeft = Math.abs(estimate - left);
  const toUp = Math.abs(estimate - up);
  const toCorner = Math.abs(estimate - corner);
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}
