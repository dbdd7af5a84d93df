/** Dates in sheets are numbers of days. In text they are ISO 8601 without a zone, because sheets have no time zone. */

const DAY_MS = 86_400_000;

/** Day 0 of each system, as the days after the false leap day of 1900 count. */
const EPOCH_1900 = Date.UTC(1899, 11, 30);
const EPOCH_1904 = Date.UTC(1904, 0, 1);
const LAST_DAY = 2_958_465;

/** `2024-01-31`, `2024-01-31T12:30:00`, or `12:30:00` for a time alone; undefined when it is outside the calendar. */
export function serialToIso(serial: number, is1904: boolean): string | undefined {
  if (!(serial >= 0 && serial <= LAST_DAY + 1)) return undefined;
  const epoch = is1904 ? EPOCH_1904 : EPOCH_1900;
  // Before the false leap day, the days of the 1900 system are one off.
  const days = !is1904 && serial >= 1 && serial < 60 ? serial + 1 : serial;
  const text = new Date(epoch + Math.round((days * DAY_MS) / 1000) * 1000).toISOString().slice(0, 19);
  if (serial < 1) return text.slice(11);
  return text.endsWith("T00:00:00") ? text.slice(0, 10) : text;
}

/** Reads a date, a date with time, or a time; undefined for other text or a day that does not exist. */
export function isoToSerial(text: string, is1904: boolean): number | undefined {
  const time = /^(\d\d):(\d\d):(\d\d)$/.exec(text);
  if (time !== null) return readTime(time.slice(1).map(Number));
  const found = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?)?$/.exec(text);
  if (found === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found
    .slice(1)
    .map((digits) => Number(digits ?? 0));
  const clock = readTime([hour, minute, second]);
  const date = new Date(Date.UTC(year, month - 1, day));
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  if (clock === undefined || !isReal) return undefined;
  const days = (date.getTime() - (is1904 ? EPOCH_1904 : EPOCH_1900)) / DAY_MS;
  const serial = !is1904 && days <= 60 ? days - 1 : days;
  return serial < (is1904 ? 0 : 1) ? undefined : serial + clock;
}

function readTime([hour = 0, minute = 0, second = 0]: readonly number[]): number | undefined {
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  return (hour * 3600 + minute * 60 + second) / 86_400;
}
