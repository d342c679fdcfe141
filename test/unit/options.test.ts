/** Options are described once, and their schemas generate everything else. */
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { byDelayOption, TIMED_MOVES } from '../../src/spec/contract/resources/timed.ts'
import { commandOptions, option } from '../../src/spec/options/option.ts'
import { readOptions, resolveOptions } from '../../src/spec/options/read.ts'
import {
  copiedOptions,
  type SandboxOptions,
  SandboxSettings,
  sandboxConfig,
  sharedOptions,
} from '../../src/spec/options/sandbox.ts'
import { START_OPTIONS } from '../../src/spec/options/simulator.ts'
import { createSimulator } from '../../src/tools/compose.ts'

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
/** Every option of a sandbox with a value other than its default. */
const GIVEN: SandboxOptions = {
  environment: 'production',
  apiKey: 'sk_mine',
  signingSecret: SECRET,
  webhook: { url: 'http://127.0.0.1:9/', events: ['refund.*'] },
  rateLimit: 7,
  trustProxy: true,
  ...byDelayOption(() => '2m' as const),
  requireApproval: true,
  audit: { ignore: { C7: 'legacy importer' } },
  journal: { headers: ['x-trace'] },
  testValues: { verificationCode: '111111' },
  profile: { ids: { length: 16 } },
  seed: 5,
  clock: 'frozen@2026-01-01T00:00:00Z',
  fixture: { customers: [{ externalId: 'c' }] },
}

describe('an option', () => {
  test('is one entry, which adds flag, variable, default, help and description', () => {
    const shape = {
      color: option(z.enum(['red', 'blue'], 'must be red or blue'), {
        help: 'the color',
        flag: '--color',
        placeholder: 'COLOR',
        env: 'PAYSIM_COLOR',
        fallback: 'red',
        shared: false,
      }),
    }
    expect(commandOptions(shape)).toMatchObject([
      { name: 'color', help: 'the color; for the sandbox "default" only', shownDefault: 'red' },
    ])
    expect(
      resolveOptions('start', shape, { flags: { color: 'blue' }, env: { PAYSIM_COLOR: 'red' } }),
    ).toEqual({
      color: 'blue',
    })
    expect(() => resolveOptions('start', shape, { flags: {}, env: { PAYSIM_COLOR: 'x' } })).toThrow(
      'PAYSIM_COLOR must be red or blue, not "x".',
    )
    expect(readOptions(z.object(shape), {})).toEqual({ color: 'red' })
    expect(z.toJSONSchema(shape.color)).toMatchObject({ description: 'the color' })
  })

  test('of paysim start has a default, unless something else decides', () => {
    const read = resolveOptions('start', START_OPTIONS, { flags: {}, env: {} })
    expect(read).toMatchObject({ port: 4100, durability: 'commit', trustProxy: false })
    // The profile, the environment, or whether standard error is a terminal.
    for (const name of ['refundDelay', 'signingSecret', 'log']) expect(read).not.toHaveProperty(name)
  })
})

describe('a config', () => {
  test('can be passed again and parses to itself', () => {
    const { expiresAt: _, ...config } = sandboxConfig('shop', GIVEN)
    expect(config).toMatchObject({ refundDelay: 120_000, clock: { mode: 'frozen', at: Date.UTC(2026, 0) } })
    expect(readOptions(SandboxSettings, config)).toEqual(config)
    expect(readOptions(SandboxSettings, JSON.parse(JSON.stringify(config)))).toEqual(config)
  })

  test('shares with every sandbox the options that are not specific to one', () => {
    expect(Object.keys(sharedOptions(GIVEN)).sort()).toEqual(
      [
        'clock',
        'audit',
        'journal',
        'profile',
        'rateLimit',
        ...TIMED_MOVES.map(({ option }) => option),
        'requireApproval',
        'testValues',
        'trustProxy',
      ].sort(),
    )
  })

  test('is copied without the key and the webhook', () => {
    const { apiKey: _, webhook: __, ...others } = GIVEN
    expect(Object.keys(copiedOptions(sandboxConfig('shop', GIVEN))).sort()).toEqual(
      Object.keys(others).sort(),
    )
  })

  test('is described with every option except testValues and fixture', () => {
    const simulator = createSimulator()
    const { testValues: _, fixture: __, ...others } = GIVEN
    const described = simulator.sandbox('shop', GIVEN).describe()
    expect(Object.keys(described).sort()).toEqual([...Object.keys(others), 'name', 'url', 'expiresAt'].sort())
    expect(described).toMatchObject({ refundDelay: '2m', seed: 5, rateLimit: 7, requireApproval: true })
    expect(createSimulator().sandbox('default').describe()).toMatchObject({ seed: null, webhook: null })
  })
})

describe('a mistake', () => {
  const sentence = (act: () => unknown) => {
    try {
      act()
    } catch (cause) {
      return (cause as Error).message
    }
    throw new Error('nothing was refused')
  }

  test.for([
    [{ webhook: 'http://x' }, 'webhook must be an object, not "http://x".'],
    [{ audit: [] }, 'audit must be an object, not [].'],
    [{ webhook: {} }, 'Missing webhook.url: the URL that events are delivered to.'],
    [{ webhook: { url: 'ftp://x' } }, 'webhook.url must be an http or https URL, not "ftp://x".'],
    [
      { webhook: { url: 'http://x', secret: 'mine' } },
      'webhook.secret must be whsec_ and the base64 of 24 to 64 bytes.',
    ],
    [
      { webhook: { url: 'http://x', secert: SECRET } },
      'webhook.secert is unknown here; did you mean secret?',
    ],
    [{ adminToken: 7 }, 'adminToken must be a token.'],
    [{ seed: -1 }, 'seed must be a whole number from 0 to 9007199254740991, not -1.'],
    [{ sandboxes: ['a', 'a/b'] }, /^sandboxes\.1 must be a name of 1 to 63 .*, not "a\/b"\.$/],
    [{ testValues: 'none.json' }, /^testValues names a file that does not exist: none.json\.$/],
    [
      { testValues: 'package.json' },
      /^testValues names package.json, where the content has name, which is none of /,
    ],
    [{ clock: { mode: 'stopped' } }, /^clock must be real, frozen, or frozen@/],
    [{ clock: { at: 'never' } }, /^clock\.at must be a time with a zone.*, not "never"\.$/],
    [{ audit: { ignore: { C7: 5 } } }, /^audit\.ignore must be audit rules, each with a reason/],
  ] as const)('in %j from code is reported by property name', ([given, expected]) => {
    expect(sentence(() => createSimulator(given as object))).toEqual(
      typeof expected === 'string' ? expected : expect.stringMatching(expected),
    )
  })

  test('from the environment does not reveal a secret', () => {
    expect(
      sentence(() =>
        resolveOptions('start', START_OPTIONS, { flags: {}, env: { PAYSIM_SIGNING_SECRET: 'whsec_mine' } }),
      ),
    ).toBe('PAYSIM_SIGNING_SECRET must be whsec_ and the base64 of 24 to 64 bytes.')
  })
})

test('over HTTP no file of the machine can be named', async () => {
  const simulator = createSimulator()
  const body = JSON.stringify({ testValues: 'package.json' })
  const { status } = await simulator.fetch(
    new Request('http://paysim/_sim/sandboxes', { method: 'POST', body }),
  )
  expect([status, simulator.sandboxes().length]).toEqual([400, 1])
})

test("the help for production's options describes their defaults", async () => {
  const simulator = createSimulator({ production: true })
  const { apiKey, signingSecret } = simulator.sandbox('production.default')
  await simulator.close()
  const shown = new Map(commandOptions(START_OPTIONS).map((option) => [option.flag, option.shownDefault]))
  expect(shown.get('--production-api-key')).toBe(apiKey)
  expect(shown.get('--production-signing-secret')).toBe(signingSecret)
  expect(shown.get('--production-rate-limit')).toBe('that of --rate-limit')
  expect(shown.get('--production-clock')).toBe('that of --clock')
})
