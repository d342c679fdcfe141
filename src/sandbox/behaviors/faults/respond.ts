import type { Fault } from './fault.ts'

export const respond: Fault<'respond'> = {
  sentence: 'Answers in the operation’s place; an Idempotency-Key keeps the answer only with `stored: true`.',
  place: 'request',
  prepare({ respond: { status, json, headers = {} }, stored = false }, { contract }) {
    const usual = status < 400 ? { body: {}, headers: {} } : contract.exampleOf(status)
    // The usual 409 is that of a key in flight; with a body of its own it is another, without Retry-After (D45).
    const usualHeaders = status === 409 && json !== undefined ? {} : usual.headers
    const body = WITHOUT_CONTENT.includes(status) ? '' : JSON.stringify(json ?? usual.body)
    const hasLatin1Header = Object.values(headers).some((value) => !ASCII.test(value))
    return {
      does: `answers ${status}${stored ? ', and the key keeps it' : ''}`,
      before: () => ({
        status,
        body,
        headers: { ...usualHeaders, ...lowerCased(headers) },
        hasLatin1Header,
        stored,
      }),
    }
  },
}

/** RFC 9110: a response with one of these statuses has no content (205 must not generate any). */
const WITHOUT_CONTENT = [204, 205, 304]

const ASCII = /^[\t -~]*$/

const lowerCased = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
