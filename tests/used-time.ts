/** The milliseconds of processor time that some work takes: what else the machine has to do does not count. */
export function usedMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
