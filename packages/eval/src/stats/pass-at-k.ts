/** The chance that at least one of k runs passes, estimated without bias from n runs of which c passed. */
export function passAtK(n: number, c: number, k: number): number | undefined {
  if (k < 1 || n < k) return undefined;
  if (n - c < k) return 1;
  let miss = 1;
  for (let draw = 0; draw < k; draw += 1) miss *= (n - c - draw) / (n - draw);
  return 1 - miss;
}

/** The chance that all of k runs pass (pass^k), estimated without bias from n runs of which c passed. */
export function passHatK(n: number, c: number, k: number): number | undefined {
  if (k < 1 || n < k) return undefined;
  if (c < k) return 0;
  let all = 1;
  for (let draw = 0; draw < k; draw += 1) all *= (c - draw) / (n - draw);
  return all;
}
