export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
}
