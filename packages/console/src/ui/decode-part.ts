/** A part of an address as it was before it was put there; as it stands where it cannot have been. */
export function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
