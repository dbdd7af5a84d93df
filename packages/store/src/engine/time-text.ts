/** A time as it is stored where times are compared: in this form the order of texts is the order of times. */
export function timeText(at: string | Date): string {
  return new Date(at).toISOString();
}
