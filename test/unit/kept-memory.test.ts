/** What the journals and snapshots of all sandboxes take together: beyond the bound the oldest goes, also after others were released. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Kept, KeptMemory } from '../../src/gate/kept-memory.ts'

const MAX_BYTES = 10

const someStep = fc.oneof(
  fc.record({ add: fc.integer({ min: 1, max: 12 }) }),
  fc.record({ release: fc.nat(20) }),
)

test('the oldest goes first, and what is released counts no more', () => {
  fc.assert(
    fc.property(fc.array(someStep, { maxLength: 40 }), (steps) => {
      const memory = new KeptMemory(MAX_BYTES)
      const made: Kept[] = []
      const forgotten: Kept[] = []
      let expected: Kept[] = []
      const bytesOf = (list: Kept[]) => list.reduce((sum, { bytes }) => sum + bytes, 0)
      for (const step of steps) {
        if ('add' in step) {
          const kept: Kept = { bytes: step.add, forget: () => forgotten.push(kept) }
          made.push(kept)
          expected.push(kept)
          const gone: Kept[] = []
          while (bytesOf(expected) > MAX_BYTES && expected.length > 1) gone.push(expected.shift()!)
          memory.add(kept)
          expect(forgotten.splice(0)).toEqual(gone)
        } else if (made.length > 0) {
          const kept = made[step.release % made.length]!
          memory.release(kept)
          expected = expected.filter((other) => other !== kept)
          expect(forgotten).toEqual([])
        }
        expect(memory.bytes).toBe(bytesOf(expected))
      }
    }),
  )
})
