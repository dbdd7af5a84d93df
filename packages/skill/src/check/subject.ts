import type { Finding } from "../rule/finding.ts";

/** What is known of a skill beyond the text of its SKILL.md; each part is optional, and its checks with it. */
export interface Subject {
  /** Name of the folder that holds the file. */
  readonly folder?: string;
  /** The id that a publisher chose. */
  readonly id?: string;
  readonly files?: readonly SubjectFile[];
  /** What the reader of the folder noticed before there was a text to parse. */
  readonly findings?: readonly Finding[];
}

export interface SubjectFile {
  readonly path: string;
  readonly size: number;
  /** Number of lines, for text that was counted. */
  readonly lines?: number;
}
