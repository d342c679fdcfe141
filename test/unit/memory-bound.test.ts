/** The shared limit for journals and snapshots of all sandboxes: beyond it the oldest goes, also after others were released. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { type CountedItem, MemoryBound } from '../../src/service/door/journal.ts'

const MAX_BYTES = 10

const someStep = fc.oneof(
  fc.record({ add: fc.integer({ min: 1, max: 12 }) }),
  fc.record({ release: fc.nat(20) }),
)

test('the oldest goes first, and released data no longer counts', () => {
  fc.assert(
    fc.property(fc.array(someStep, { maxLength: 40 }), (steps) => {
      const memory = new MemoryBound(MAX_BYTES)
      const made: CountedItem[] = []
      const forgotten: CountedItem[] = []
      let expected: CountedItem[] = []
      const bytesOf = (list: CountedItem[]) => list.reduce((sum, { bytes }) => sum + bytes, 0)
      for (const step of steps) {
        if ('add' in step) {
          const item: CountedItem = { bytes: step.add, forget: () => forgotten.push(item) }
          made.push(item)
          expected.push(item)
          const gone: CountedItem[] = []
          while (bytesOf(expected) > MAX_BYTES && expected.length > 1) gone.push(expected.shift()!)
          memory.add(item)
          expect(forgotten.splice(0)).toEqual(gone)
        } else if (made.length > 0) {
          const item = made[step.release % made.length]!
          memory.release(item)
          expected = expected.filter((kept) => kept !== item)
          expect(forgotten).toEqual([])
        }
        expect(memory.bytes).toBe(bytesOf(expected))
      }
    }),
  )
})
