/** D8, §7: the message of every refusal under /v1. A profile can replace them; a word in braces stands for a value. */
export const TEXTS = {
  missingField: 'Missing required field: {field}',
  invalidField: 'Invalid field: {field} {rule}',
  unknownField: 'Unknown field: {field}',
  invalidParameter: 'Invalid query parameter: {name} {rule}',
  malformedKey: 'Malformed Idempotency-Key',
  malformedJson: 'Malformed JSON body',
  amountTooLarge: 'Amount exceeds the {limit} amount',
  invalidApiKey: 'Invalid API key',
  cardsOnly: 'Platform keys can only refund card {resources}',
  notFound: '{resource} not found',
  methodNotAllowed: 'Method not allowed',
  alreadyInState: '{resource} is already {state}',
  wrongState: '{resource} is {state}',
  notInState: '{resource} is {state}, not {needed}',
  notApproved: '{resource} is not approved by the buyer yet',
  fullyRefunded: '{resource} is already fully refunded',
  externalIdTaken: 'Customer with this external ID already exists',
  keyInFlight: 'A request with this Idempotency-Key is already in progress',
  bodyTooLarge: 'Request body is too large',
  wrongMediaType: 'Content-Type must be application/json',
  wrongContentEncoding: 'Content-Encoding must be identity',
  keyReused: 'Idempotency-Key was already used with a different request body',
  tooManyRequests: 'Too many requests, please try again later.',
  internalError: 'Internal server error',
} as const

export type TextName = keyof typeof TEXTS

/** The values of the words in braces. */
export type TextValues = Readonly<Record<string, string>>

const WORD = /\{(\w+)\}/g

export const filledText = (text: string, values: TextValues): string =>
  text.replaceAll(WORD, (braces, word: string) => values[word] ?? braces)

/** The words in braces of a message. */
export const wordsOf = (text: string): string[] => [...text.matchAll(WORD)].map(([, word]) => word!)
