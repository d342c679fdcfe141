/** A profile in which every key has a random value, from a seed: words, names, numbers and texts. */
import type { SandboxOptions } from '../../src/index.ts'
import { parseDuration } from '../../src/spec/contract/duration.ts'
import { changesOf, PROFILE_KEYS, ProfileChanges, type ProfileKey } from '../../src/spec/contract/profile.ts'
import { FIELDS, TOUR_WAITS_MS } from '../../src/spec/contract/profile-kinds.ts'
import { wordsOf } from '../../src/spec/contract/texts.ts'

type Profile = NonNullable<SandboxOptions['profile']>

/** The paging parameters of the tour's requests; a service with other names does not reveal them. */
const LIMITS = ['page_size', 'pageSize', 'per_page', 'perPage', 'size', 'count', 'first']
const CURSORS = ['after', 'starting_after', 'startingAfter', 'page_token', 'pageToken', 'next', 'next_cursor']

/** `shown`: keys, or sections of keys, that keep their default. */
export function secretProfile(seed: number, shown: readonly string[] = []): Profile {
  let state = 0
  /** The value depends on the seed and this name only, so a new key does not change the values of others. */
  const drawFor = (name: string) => {
    state = [...name].reduce((sum, letter) => Math.imul(sum ^ letter.charCodeAt(0), 16_777_619), seed)
  }
  /** A whole number below `most`, from a linear congruential generator, so that a seed always gives the same profile. */
  const draw = (most: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * most)
  }
  const pick = <Item>(items: readonly Item[]): Item => items[draw(items.length)]!
  const taken = new Set<string>()
  const word = (): string => {
    const made = Array.from(
      { length: 2 + draw(2) },
      () => pick([...'bdfgklmnprstvz']) + pick([...'aeiou']),
    ).join('')
    if (taken.has(made)) return word()
    taken.add(made)
    return made
  }
  const camel = () => pick([word(), `${word()}${pick(['At', 'Id', 'Ref', 'Of'])}`])
  const sentence = (words: readonly string[]) =>
    [word(), ...words.map((name) => `${word()} {${name}}`), word(), pick(['!', '.', ''])].join(' ').trim()
  const leftOut = new Map(
    Object.entries(FIELDS).map(([kind, names]) => {
      drawFor(kind)
      return [kind, pick(names.filter((name) => !/^(id|type|data)$/.test(name)))]
    }),
  )

  drawFor('folder')
  const folder = word()
  const DRAWN: readonly [RegExp, (row: ProfileKey) => unknown][] = [
    [/^ids\.prefixes/, () => `${word()}${pick(['_', '-', '_live_', '2_'])}`],
    [/^ids\.length/, () => 25 + draw(20)],
    [/^requests\.mediaType/, () => 'lenient'],
    [/^requests\.unknownFields/, () => 'refuse'],
    [/^requests\.checkout/, () => ['orderId', 'externalId', 'amount', pick(['successUrl', 'cancelUrl'])]],
    [/^answers\.created/, () => 200],
    [/^answers\.fields/, () => ({ [word()]: pick([word(), true, draw(100)]) })],
    [/^answers\.leaveOut/, ({ path }) => [leftOut.get(path.at(-1)!)!]],
    [/^answers\.currency/, () => pick(['EUR', 'CHF', 'SEK'])],
    [/^fields/, () => camel()],
    [/^lists\.limit/, () => pick(LIMITS)],
    [/^lists\.cursor/, () => pick(CURSORS)],
    [/^lists\.size/, () => 2 + draw(4)],
    [/^lists\.maxSize/, () => 50 + draw(40)],
    [/^lists/, () => word()],
    [/^states/, () => pick([word(), word().toUpperCase()])],
    [/^events/, () => pick([`${word()}.${word()}`, word().toUpperCase()])],
    [/^errors\.names/, () => pick([word(), `${word()}_${word()}`])],
    [/^errors\.texts/, ({ fallback }) => sentence(wordsOf(String(fallback)))],
    [/^idempotency\.keptRefusals/, () => [pick([400, 403, 404, 409])]],
    [/^idempotency\.keep/, () => `${2 + draw(20)}h`],
    [/^rateLimit\.headers/, ({ path }) => `RateLimit-${path.at(-1)!}`],
    [/^rateLimit\.resetAs/, () => 'seconds'],
    [/^rateLimit\.window/, () => '90s'],
    [/^idempotency\.replayHeader/, () => `X-${word()}`],
    [/^webhooks\.signature\.scheme/, () => 'timestamped'],
    [/^webhooks\.signature\.prefix/, () => 'sha256='],
    [/^webhooks\.signature\.(id|timestamp)Header/, () => null],
    [/^webhooks\.signature\.header/, () => `X-${word()}`],
    [/^webhooks\.retries/, () => ['1s']],
    [/^webhooks/, () => '9s'],
    // A longer one stays longer than the tour: an authorization that expires within it could not be voided.
    [/\.delay$/, ({ fallback }) => (parseDuration(String(fallback)) > TOUR_WAITS_MS ? '9d' : '1s')],
    [/^add/, () => ({})],
    [/^paths/, ({ fallback }) => String(fallback).replace('/v1/', `/v1/${folder}/`)],
    [/^(timestamps|answers\.location)/, ({ fallback }) => !fallback],
  ]
  const rows = PROFILE_KEYS.flatMap((row) => {
    const [section, kind, name] = row.path
    // The name of an omitted field is never visible.
    if (shown.some((prefix) => row.key.startsWith(prefix))) return []
    if (section === 'fields' && !shown.includes('answers.leaveOut') && leftOut.get(kind!) === name) return []
    drawFor(row.key)
    return { path: row.path, value: DRAWN.find(([pattern]) => pattern.test(row.key))![1](row) }
  })
  return ProfileChanges.parse(changesOf(rows))
}
