import type { TokenRule } from "./rule.ts";

export interface Match {
  readonly start: number;
  readonly end: number;
}

/** More matches of one rule in one text are the same news. */
const MAX_MATCHES = 20;
/** A token that is everywhere is not a sign. */
const MAX_POSITIONS = 5000;
const BLANK_LINE = /\n[ \t]{0,80}\n/;
/** How far before a match its `unless` words may stand. */
const BEFORE = 100;

/**
 * Finds a rule in a text. Each token is searched for once; then the lists of positions are merged by distance.
 * Time is linear in the text for every rule whose tokens keep their contract.
 */
export function matchRule(rule: TokenRule, text: string): readonly Match[] {
  let chains: readonly Match[] = [];
  let stops: readonly Match[] | undefined;
  for (const [index, token] of rule.tokens.entries()) {
    const found = positions(token, text);
    if (found.length === 0) return [];
    if (index === 0) chains = found;
    else {
      stops ??= positions(rule.stop ?? BLANK_LINE, text);
      chains = extend(chains, found, rule.gap, stops);
    }
    if (chains.length === 0) return [];
  }
  const { unless } = rule;
  const kept = unless === undefined ? chains : chains.filter((match) => !isWarning(text, match, unless));
  return kept.slice(0, MAX_MATCHES);
}

function positions(token: RegExp, text: string): readonly Match[] {
  const pattern = new RegExp(token.source, withFlag(token.flags, "g"));
  const found: Match[] = [];
  for (const match of text.matchAll(pattern)) {
    found.push({ start: match.index, end: match.index + match[0].length });
    if (found.length >= MAX_POSITIONS) break;
  }
  return found;
}

function withFlag(flags: string, flag: string): string {
  return flags.includes(flag) ? flags : `${flags}${flag}`;
}

/** Joins each position with the nearest chain before it. Both lists are in order, so one pass is enough. */
function extend(
  chains: readonly Match[],
  next: readonly Match[],
  gap: number,
  stops: readonly Match[],
): readonly Match[] {
  const joined: Match[] = [];
  let at = -1;
  let stop = 0;
  const ends = chains.toSorted((a, b) => a.end - b.end);
  for (const { start, end } of next) {
    while ((ends[at + 1]?.end ?? Number.POSITIVE_INFINITY) <= start) at += 1;
    const before = ends[at];
    if (before === undefined || start - before.end > gap) continue;
    while ((stops[stop]?.start ?? Number.POSITIVE_INFINITY) < before.end) stop += 1;
    const barrier = stops[stop]?.start ?? Number.POSITIVE_INFINITY;
    if (barrier >= before.end && barrier < start) continue;
    joined.push({ start: before.start, end });
  }
  return joined;
}

function isWarning(text: string, { start, end }: Match, unless: RegExp): boolean {
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const before = text.slice(Math.max(lineStart, start - BEFORE), start);
  return unless.test(before) || unless.test(text.slice(start, Math.min(end, start + 2 * BEFORE)));
}
