/** Two texts side by side: which lines are the same, which differ only in ids and times, and which differ. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { markLines } from '../../src/pages/dashboard/side-by-side.ts'
import { DEFAULT_CONTRACT } from '../../src/spec/contract/contract.ts'
import { Alike } from '../../src/tester/alike/alike.ts'

const { ids } = DEFAULT_CONTRACT

describe('lines', () => {
  const marks = (first: string[], second: string[]) => {
    const texts = markLines(first, second, ids)
    return [texts.first.map(({ mark }) => mark), texts.second.map(({ mark }) => mark)]
  }

  it('that are in both are the same, also where one text has more before and after them', () => {
    expect(marks(['a', 'b', 'c'], ['x', 'a', 'c', 'y'])).toEqual([
      ['same', 'differs', 'same'],
      ['differs', 'same', 'same', 'differs'],
    ])
  })

  it('with another id or time are created, with another kind of id or none they differ', () => {
    const first = [
      '"id": "chk_00004Hv4SRMr"',
      '"at": "2026-01-01T00:00:00.000Z",',
      '"of": "cus_00004Hv4SRMr"',
    ]
    const second = ['"id": "chk_00007dtBbQuF"', '"at": "2026-01-02T00:00:00.000Z"', '"of": null']
    expect(marks(first, second)).toEqual(Array(2).fill(['created', 'created', 'differs']))
  })

  it('keep their text and their order, and the common ones stand in both', () => {
    const line = fc.constantFrom('a', 'b', 'c,', 'c', 'ref_00000001', 'ref_00000002')
    fc.assert(
      fc.property(fc.array(line), fc.array(line), (first, second) => {
        const texts = markLines(first, second, ids)
        expect(texts.first.map(({ text }) => text)).toEqual(first)
        expect(texts.second.map(({ text }) => text)).toEqual(second)
        const common = (lines: readonly { text: string; mark: string }[]) =>
          lines.flatMap(({ text, mark }) => (mark === 'differs' ? [] : [text.replace(/,$|\d+$/g, '')]))
        expect(common(texts.first)).toEqual(common(texts.second))
        expect(markLines(first, first, ids).first.filter(({ mark }) => mark !== 'same')).toEqual([])
      }),
    )
  })

  it('of texts that are too long for every pair are compared by their place', () => {
    const long = Array.from({ length: 2500 }, (_, number) => `line ${number}`)
    const [first] = marks(long, ['line 0', ...long])
    expect(first!.filter((mark) => mark === 'same')).toHaveLength(1)
  })
})

it.each([
  ['pay-2gC5pjIHNENAoUjn', 'chk_00000HuK0NsvLnt'],
  ['6cecc866-c4b8-4444-bdfe-bafac4dc5368', 'chk_00000HuK0NsvLnt'],
])(
  'the generated id %s is paired with another at its first place, and with no second one',
  (theirs, ours) => {
    const alike = new Alike()
    expect(alike.otherPrefix(ours, theirs, '$.id')).toBeDefined()
    expect(alike.agree(`/v1/checkouts/${ours}`, `/v1/checkouts/${theirs}`, '$.url')).toBe(true)
    expect(alike.agree(ours, theirs.replace(/.$/, '0'), '$.id')).toBe(false)
  },
)
