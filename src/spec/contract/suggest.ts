/** The candidate with the smallest edit distance, unless more than a third of the longer word differs. */
export function suggest(word: string, candidates: Iterable<string>): string | undefined {
  let best: { candidate: string; distance: number } | undefined
  for (const candidate of candidates) {
    // In a two-letter word only swapped letters count as a typo (`ta` for `at`): one different letter is half the word (`ip`,
    // `op`).
    const allowed = Math.floor(
      Math.max(candidate.length, word.length, isShortSwap(word, candidate) ? 3 : 0) / 3,
    )
    if (candidate === word || Math.abs(candidate.length - word.length) > allowed) continue
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (distance <= allowed && distance < (best?.distance ?? Number.POSITIVE_INFINITY))
      best = { candidate, distance }
  }
  return best?.candidate
}

const isShortSwap = (word: string, candidate: string): boolean =>
  word.length === 2 && word[1]! + word[0]! === candidate

export const didYouMean = (word: string, candidates: Iterable<string>): string => {
  const suggestion = suggest(word, candidates)
  return suggestion === undefined ? '' : `; did you mean ${suggestion}?`
}

/** Adds a full stop, unless the text ends in one or in a question mark, as `didYouMean` does. */
export const asSentence = (text: string): string => (/[.?]$/.test(text) ? text : `${text}.`)

/** Edit distance: how many letters to insert, drop, replace or swap with their neighbor. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let i = 1; i <= from.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= to.length; j += 1) {
      const replaced = last[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1)
      row[j] = Math.min(replaced, last[j]! + 1, row[j - 1]! + 1)
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      if (swapped) row[j] = Math.min(row[j]!, beforeLast[j - 2]! + 1)
    }
    beforeLast = last
    last = row
  }
  return last[to.length]!
}
