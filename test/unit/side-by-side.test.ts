/** Two texts beside each other, and two sandboxes: what is the same, what is made anew each time, and what differs. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { markLines } from '../../src/pages/dashboard/side-by-side.ts'
import { DEFAULT_CONTRACT } from '../../src/spec/contract/contract.ts'
import { Alike } from '../../src/tester/alike/alike.ts'
import {
  compareSandboxes as comparing,
  type ResourcesByKind,
} from '../../src/tester/control/compare-sandboxes.ts'
import { atOnce } from '../../src/tester/control/turns.ts'

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

  it('with another id or time are made anew, with another kind of id or none they differ', () => {
    const first = [
      '"id": "chk_00004Hv4SRMr"',
      '"at": "2026-01-01T00:00:00.000Z",',
      '"of": "cus_00004Hv4SRMr"',
    ]
    const second = ['"id": "chk_00007dtBbQuF"', '"at": "2026-01-02T00:00:00.000Z"', '"of": null']
    expect(marks(first, second)).toEqual(Array(2).fill(['made anew', 'made anew', 'differs']))
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

describe('sandboxes', () => {
  const none: ResourcesByKind = {
    customer: [],
    payment_method: [],
    checkout: [],
    authorization: [],
    refund: [],
  }
  const checkout = (id: string, orderId: string, more: object = {}) => ({
    id,
    orderId,
    externalId: 'acme',
    status: 'pending',
    createdAt: `2026-01-01T00:00:00.${id.slice(-3)}Z`,
    ...more,
  })
  const refund = (id: string, checkoutId: string, amount: number) => ({ id, checkoutId, amount })
  const compareSandboxes = (...both: [ResourcesByKind, ResourcesByKind]) => atOnce(comparing(...both, [ids]))
  const kindIn = (compared: ReturnType<typeof compareSandboxes>, name: string) =>
    compared.find((kind) => kind.name === name)!

  it('have resources with the same role, and what names them is the same too', () => {
    const compared = compareSandboxes(
      {
        ...none,
        checkout: [checkout('chk_aaaaaaaa001', 'o-1'), checkout('chk_aaaaaaaa002', 'o-2')],
        refund: [refund('ref_aaaaaaaa001', 'chk_aaaaaaaa002', 5)],
      },
      {
        ...none,
        checkout: [
          checkout('chk_bbbbbbbb009', 'o-2'),
          checkout('chk_bbbbbbbb008', 'o-1', { status: 'approved' }),
        ],
        refund: [refund('ref_bbbbbbbb001', 'chk_bbbbbbbb009', 5)],
      },
    )
    expect(kindIn(compared, 'checkout')).toMatchObject({
      same: 1,
      different: [
        {
          first: { id: 'chk_aaaaaaaa001' },
          second: { id: 'chk_bbbbbbbb008' },
          fields: [{ path: 'status', first: 'pending', now: 'approved' }],
        },
      ],
      onlyFirst: [],
      onlySecond: [],
    })
    expect(kindIn(compared, 'refund')).toMatchObject({ same: 1, different: [] })
  })

  it('with several of one role pair them in order, and what is left is in one alone', () => {
    const compared = compareSandboxes(
      { ...none, checkout: [checkout('chk_aaaaaaaa001', 'o-1'), checkout('chk_aaaaaaaa002', 'o-1')] },
      { ...none, checkout: [checkout('chk_bbbbbbbb001', 'o-1')] },
    )
    expect(kindIn(compared, 'checkout')).toMatchObject({ same: 1, onlyFirst: [{ id: 'chk_aaaaaaaa002' }] })
  })

  it('pair by id only what was there when one was copied: what is made later is known by its order', () => {
    const later = (orderId: string, createdAt: string) => checkout('chk_aaaaaaaa002', orderId, { createdAt })
    const compared = compareSandboxes(
      { ...none, checkout: [checkout('chk_aaaaaaaa001', 'o-1'), later('o-2', '2026-01-02T00:00:00.000Z')] },
      { ...none, checkout: [checkout('chk_aaaaaaaa001', 'o-1'), later('o-3', '2026-01-03T00:00:00.000Z')] },
    )
    expect(kindIn(compared, 'checkout')).toMatchObject({
      same: 1,
      different: [],
      onlyFirst: [{ orderId: 'o-2' }],
      onlySecond: [{ orderId: 'o-3' }],
    })
  })

  it('that are copies pair by id, also where the role has changed', () => {
    const first = checkout('chk_aaaaaaaa001', 'o-1')
    const compared = compareSandboxes(
      { ...none, checkout: [first] },
      { ...none, checkout: [checkout('chk_aaaaaaaa777', 'o-1'), { ...first, externalId: 'b-9' }] },
    )
    expect(kindIn(compared, 'checkout')).toMatchObject({
      different: [{ fields: [{ path: 'externalId', first: 'acme', now: 'b-9' }] }],
      onlySecond: [{ id: 'chk_aaaaaaaa777' }],
    })
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
