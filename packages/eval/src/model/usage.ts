export interface TokenUsage {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
}
