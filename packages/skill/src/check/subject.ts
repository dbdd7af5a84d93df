import type { Finding } from "../rule/finding.ts";

/** Facts about a skill beyond the text of its SKILL.md. Each is optional; without it, its checks are skipped. */
export interface Subject {
  /** The name of the skill's folder. */
  readonly folder?: string;
  /** The publisher's id for the skill. */
  readonly id?: string;
  readonly files?: readonly SubjectFile[];
  /** Findings from before parsing, such as an unreadable file. */
  readonly findings?: readonly Finding[];
}

export interface SubjectFile {
  readonly path: string;
  readonly size: number;
  /** The number of lines, if counted. */
  readonly lines?: number;
}
