/** `buyer`: a person on the hosted page, over HTTP, with cookies, forms and redirects. */
import { describe, expect, test } from 'vitest'
import { parseScenario } from '../../src/sandbox/scenario-file/read.ts'
import { ORDER } from '../order.ts'
import { BUYER_WAYS, type BuyerPage, SHOP } from './buyer-pages.ts'
import { expectPassed, play } from './playing.ts'

const START = `
name: n
sandbox: { seed: 1, clock: { at: 2026-01-01T00:00:00Z }, requireApproval: true }
steps:
  - call: POST /v1/checkouts
    json: ${JSON.stringify({ ...ORDER, orderId: 'o-1', amount: 30_000, successUrl: 'https://shop.test/ok?a=1&b=2' })}
    capture: { checkout: $.id }
`

const LOG_IN = `
  - { buyer: "\${checkout}", actions: [{ fill: { contact: ann@shop.test } }], expect: { heading: Enter the code, text: [We sent a code to ann@shop.test., Send a new code] } }
  - { outbox: { template: login_code, to: ann@shop.test }, capture: { code: $.code } }
  - { buyer: "\${checkout}", actions: [{ fill: { code: "\${code}" } }], expect: { heading: How would you like to pay?, fields: [method] } }
`

describe('a buyer', () => {
  test('logs in with the captured code, and pays by card', async () => {
    await expectPassed(`${START}${LOG_IN}
  - buyer: \${checkout}
    actions:
      - fill: { method: card }
      - fill: { number: 4242 4242 4242 4242, expiry: 12/30, cvc: 123 }
    expect: { status: 200, heading: Review and pay, text: [Visa ending in 4242, "$30,000.00"] }
  - buyer: \${checkout}
    actions: [{ press: Accept and pay }]
    expect: { url: https://shop.test/ok?a=1&b=2 }
    capture: { home: $.url }
  - captured: { home: { regex: ^https } }
  - { buyer: "\${checkout}", actions: [{ open: true }], expect: { heading: You have already approved this payment } }
  - call: POST /v1/checkouts/\${checkout}/confirm
    expect: { json: { paymentMethodType: card } }
`)
  })

  test('enters a wrong code, and cancels', async () => {
    await expectPassed(`${START}
  - { buyer: "\${checkout}", expect: { heading: Log in to pay, fields: [contact] } }
  - buyer: \${checkout}
    actions: [{ fill: { contact: ann@shop.test } }, { fill: { code: "999999" } }]
    expect: { status: 400, heading: Enter the code, text: You have 4 more tries }
  - { buyer: "\${checkout}", actions: [{ press: Cancel and return to shop.test }], expect: { url: https://shop.test/no } }
`)
  })

  test.each(Object.entries(BUYER_WAYS))('sees the documented pages %s', async (_, way) => {
    const seen = ({ heading, fields, buttons }: BuyerPage) => ({
      heading,
      fields: Object.keys(fields ?? {}),
      text: buttons,
    })
    const buyer = '${checkout}'
    const steps = way.map(({ fields, buttons, next }, index) => {
      const after = way[index + 1]
      const end = next === SHOP ? { url: 'https://shop.test/ok?a=1&b=2' } : { heading: next }
      expect(after?.heading ?? next).toBe(next)
      return {
        buyer,
        actions: [fields === null ? { press: buttons[0] } : { fill: fields }],
        expect: after ? seen(after) : end,
      }
    })
    const all = [{ buyer, expect: seen(way[0]!) }, ...steps]
    await expectPassed(START + all.map((step) => `  - ${JSON.stringify(step)}\n`).join(''))
  })

  test.each([
    [
      'actions: [{ fill: { contcat: a } }]',
      'The page “Log in to pay” has no form with the field contcat; did you mean contact?\n',
    ],
    [
      'actions: [{ fill: { contact: nonsense } }, { fill: { code: 000000 } }]',
      'The page “Log in to pay” says “Enter an e-mail address or a phone number.” and has no form with the field code; it has contact.',
    ],
    [
      'actions: [{ press: Log out }]',
      'The page “Log in to pay” has no button and no link “Log out”; it has Send the code',
    ],
    ['expect: { heading: Card }', 'heading: expected "Card", received "Log in to pay"'],
    [
      'expect: { text: [password, banana] }',
      'text: expected something with "banana", received "Step 1 of 4: Log in',
    ],
    ['expect: { fields: [code] }', 'fields: expected'],
    ['expect: { url: https://shop.test/ok }', 'url: expected "https://shop.test/ok", received nothing'],
    ['expect: { status: 404 }', 'status: expected 404, received 200'],
    ['actions: [{ fill: { contact: nonsense } }]', 'status: expected 2xx, received 400'],
  ])('%s fails', async (rest, said) => {
    const { code, out } = await play(`${START}  - buyer: \${checkout}\n    ${rest}\n`)
    expect(code).toBe(1)
    expect(out).toContain(said)
  })

  test('needs an existing checkout', async () => {
    const { out } = await play(`${START}  - call: GET /v1/customers\n  - buyer: chk_none\n`)
    expect(out).toContain("The tester's API responded 404")
  })
})

test.each([
  ['buyer: a, actoins: []', 'steps[0].actoins is unknown; did you mean actions?'],
  ['buyer: a, actions: [{ fil: { code: 1 } }]', 'steps[0].actions[0].fil is unknown; did you mean fill?'],
  ['buyer: 5', 'steps[0].buyer must be a text, not 5'],
  ['buyer: "${chekout}"', 'steps[0].buyer has ${chekout}, which no step before it captures'],
  [
    'buyer: a, actions: cancel',
    'steps[0].actions must be a list such as [{ press: Cancel and return }], not "cancel"',
  ],
  [
    'buyer: a, actions: [{ open: true, press: Pay }]',
    'steps[0].actions[0].open cannot be combined with press',
  ],
  ['buyer: a, actions: [{ fill: {} }]', 'steps[0].actions[0].fill must name a field'],
  ['buyer: a, until: { status: 200 }', 'steps[0].until cannot be combined with buyer'],
  ['buyer: a, actions: [{ open: yes }]', 'steps[0].actions[0].open must be true'],
  ['buyer: a, expect: { text: [] }', 'steps[0].expect.text'],
  ['buyer: a, expect: { headnig: a }', 'steps[0].expect.headnig is unknown; did you mean heading?'],
])('%s is refused', (step, message) => {
  expect(() => parseScenario(`name: n\nsteps:\n  - { ${step} }\n`)).toThrow(message)
})
