/**
 * Writes steps that follow each other and are the same but for a few values as one `each` over these values. What is sent
 * and what is expected stay as they were: an expected value may only differ where one that is sent differs in the same way.
 */
import {
  AlikeSteps,
  capturedIn,
  inNames,
  mayBeWrittenOnce,
  sizeOf,
  type Uses,
  usesIn,
  withNewKeys,
} from './alike-steps.ts'
import type { WrittenStep } from './session.ts'

/** Two steps are read sooner than a list of two items and the step that they are for. */
const FEWEST_ITEMS = 3
/** Such as: create, confirm, refund, wait, read. */
const MOST_STEPS = 6

export function withRepeatedSteps(steps: readonly WrittenStep[]): WrittenStep[] {
  const uses = usesIn(steps)
  const written: WrittenStep[] = []
  for (let at = 0; at < steps.length; ) {
    const { step, covered } = shortestAt(steps.slice(at), uses) ?? { step: steps[at]!, covered: 1 }
    written.push(step)
    at += covered
  }
  return written
}

/** The `each` that saves most at the beginning of these steps, and how many of them it stands for. */
function shortestAt(steps: readonly WrittenStep[], uses: Uses) {
  let best: { step: WrittenStep; covered: number; saved: number } | undefined
  for (let length = 1; length <= Math.min(MOST_STEPS, steps.length / FEWEST_ITEMS); length += 1) {
    const { step, count } = longestEach(steps, length, uses) ?? { step: undefined, count: 0 }
    if (step === undefined) continue
    const covered = count * length
    const saved = sizeOf(steps.slice(0, covered)) - sizeOf(step)
    if (saved > (best?.saved ?? 0)) best = { step, covered, saved }
  }
  return best
}

/** Found by halving: blocks that are alike stay alike with fewer items. */
function longestEach(steps: readonly WrittenStep[], length: number, uses: Uses) {
  const eachOf = (count: number) =>
    eachOver(
      Array.from({ length: count }, (_, index) => steps.slice(index * length, (index + 1) * length)),
      uses,
    )
  let [count, most] = [FEWEST_ITEMS, Math.floor(steps.length / length)]
  let step = eachOf(count)
  while (step !== undefined && count < most) {
    const middle = Math.ceil((count + most) / 2)
    const more = eachOf(middle)
    if (more === undefined) most = middle - 1
    else [step, count] = [more, middle]
  }
  return step && { step, count }
}

/** Undefined where the blocks are not the same. */
function eachOver(written: readonly WrittenStep[][], uses: Uses): WrittenStep | undefined {
  const [first = []] = written
  // A block begins with a request: an `advance` before it belongs to the steps before.
  if ('sim' in first[0]! || !written.flat().every(mayBeWrittenOnce)) return undefined
  const blocks = written.map((block) => withCommonNames(block, first, uses))
  if (blocks.includes(undefined)) return undefined
  const alike = new AlikeSteps(blocks as WrittenStep[][])
  if (!alike.areAlike) return undefined
  const { columns } = alike
  if (columns.size === 0) return { each: `1..${written.length}`, steps: alike.stepsWith(String) }
  if (columns.size === 1) return { each: [...columns.values()][0], steps: alike.stepsWith(() => '${item}') }
  const items = written.map((_, index) =>
    Object.fromEntries([...columns].map(([name, values]) => [name, values[index]])),
  )
  return { each: items, steps: alike.stepsWith((name) => `\${item.${name}}`) }
}

/**
 * The steps of a block in the words of the first block: its captures get the first block's names, and a key that only one request
 * has becomes a new one. Undefined if later steps use its captures.
 */
function withCommonNames(block: readonly WrittenStep[], first: readonly WrittenStep[], uses: Uses) {
  const ownUses = usesIn(block)
  const isOwn = (text: string) => ownUses.get(text) === uses.get(text)
  const names = capturedIn(block)
  const common = capturedIn(first)
  if (names.length !== common.length || !names.every((name) => isOwn(`\${${name}}`))) return undefined
  const renamed = new Map(names.map((name, index) => [name, common[index]!]))
  return inNames(withNewKeys(block, uses), renamed)
}
