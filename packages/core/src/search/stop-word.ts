/** Words without meaning for a task, and the parts of contractions (`don't`, `it's`) after the split. */
const WORDS = `
a about above after again all also am an and any are as at be because been before being below between both but by
can could did do does doing done down during each either else etc ever few for from further get gets getting
going gonna got had has have having he her here hers him his how i if in into is it its itself just let lets like
me more most much my myself no nor not now of off ok okay on once only onto or other our ours out over own please
really same she should so some such than that the their theirs them then there these they thing things this those
through to too under until up us very want wanna wants was way we well were what when where whether which while who
whom whose why will with within without would yes yet you your yours yourself
don doesn didn isn aren wasn weren won wouldn couldn shouldn hasn haven hadn ain ll re ve im ive
b d e f g h j k l m n o p q s t u v w x y z 0 1 2 3 4 5 6 7 8 9`;

/** The single letters `c` and `r` are languages and stay. */
const stopWords: ReadonlySet<string> = new Set(WORDS.trim().split(/\s+/));

export function isStopWord(word: string): boolean {
  return stopWords.has(word);
}
