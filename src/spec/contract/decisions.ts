/**
 * What paysim does where the specification is silent. We cannot inspect the real service, so each decision is an assumption. The
 * code that implements it cites its number.
 */
export interface Decision {
  id: keyof typeof CHOICES
  topic: string
  choice: string
  /** `implied`: the spec's words suggest it. `ours`: nothing in the spec does. */
  mark: 'implied' | 'ours'
  /** The section of the spec that leaves it open. */
  spec: `§${number}`
}

type Choice = Omit<Decision, 'id'>

const marked =
  (mark: Choice['mark']) =>
  (spec: Choice['spec'], topic: string, choice: string): Choice => ({ topic, choice, mark, spec })
const ours = marked('ours')
const implied = marked('implied')

const CHOICES = {
  D1: ours(
    '§3',
    'Checkout states',
    'A checkout is pending, approved (by a buyer), confirmed (by the platform) or canceled. It can be canceled until it is confirmed. It does not expire.',
  ),
  D2: ours(
    '§3',
    'Authorization states',
    'An authorization is authorized, then captured or voided; both are final. It does not expire.',
  ),
  D3: implied(
    '§3',
    'Refund states',
    'A refund is pending, then completed. It cannot fail and cannot be canceled.',
  ),
  D4: implied(
    '§7',
    'Status of a refusal',
    'A wrong state is 409. An amount that the caller can correct is 400. 422 is only for a reused Idempotency-Key.',
  ),
  D5: ours(
    '§2',
    'Payment method types',
    'card and bank_account. What the spec calls "non-card" is bank_account.',
  ),
  D6: ours(
    '§4',
    'Capture',
    'Full or partial, and only once: the remainder is released immediately. The response is the authorization, because a capture is not a resource.',
  ),
  D7: ours(
    '§1',
    'Confirming without a buyer',
    'A pending checkout can be confirmed. It is paid with the customer’s newest card, or newest bank account where paymentMethodType of the checkout says bank_account; a customer without one gets staging’s test method. An authorization without paymentMethodId takes the newest card in the same way, never a bank account. So a test can use every endpoint without a browser. requireApproval turns this off, and so does production (D62).',
  ),
  D8: implied(
    '§7',
    'The error field',
    'Exactly the word of the spec’s table: Internal Error, not Internal Server Error.',
  ),
  D9: ours(
    '§7',
    'One problem for each message',
    'The message names the first wrong field in documented order. There is no list of problems.',
  ),
  D10: implied(
    '§2',
    'Amounts in answers',
    'With two decimals, 1000.00, in responses and webhooks. They are stored as whole cents.',
  ),
  D11: ours('§2', 'Currency', 'Every response with an amount has currency "USD". Requests have no currency.'),
  D12: ours('§2', 'Timestamps', 'UTC with milliseconds and Z.'),
  D13: ours(
    '§2',
    'Ids',
    'A prefix (chk_ auth_ ref_ cus_ pm_ evt_) and 24 letters or digits, in order of creation. A malformed id gets 404, like an unknown id.',
  ),
  D14: ours(
    '§2',
    'Amounts in requests',
    'JSON numbers with at most two decimals. A string or 10.005 is 400.',
  ),
  D15: ours('§8', 'Amount bounds', '0.01 to 999 999 999.99.'),
  D16: ours(
    '§2',
    'Media type',
    'A POST with a body needs Content-Type application/json; any other is 415. A GET, or a POST without a body, needs none.',
  ),
  D17: ours(
    '§2',
    'Bodies',
    'A JSON object in UTF-8, nested at most 64 deep, at most 100 KiB (413). No body counts as {}. Unknown fields are ignored. null in an optional field counts as omitted.',
  ),
  D18: ours('§2', 'References', '1 to 255 characters, kept exactly as sent.'),
  D19: ours(
    '§2',
    'URLs',
    'Absolute http or https, at most 2048 characters, returned as sent. http://localhost is allowed.',
  ),
  D20: ours(
    '§7',
    'The order of refusals',
    '429, 401, 404 and 405 for the route, 413, 415, malformed key, malformed JSON, idempotency, fields, unknown resource, 403, 409, amount.',
  ),
  D21: implied('§5', 'Another platform’s resource', '404 with the same text as for an unknown id.'),
  D22: implied(
    '§2',
    'Creating a checkout',
    'The five fields that the spec shows are required. paymentMethodType may preselect the method. Several checkouts may have the same orderId.',
  ),
  D23: ours(
    '§2',
    'Creating an authorization',
    'It needs amount and a customer: customerId, externalId, or both if they mean the same customer. An unknown customer is 404.',
  ),
  D24: ours(
    '§4',
    'Lists',
    '{ data, hasMore, nextCursor }, newest first, limit 1 to 100 (default 20). The cursor is opaque and stays valid while rows are added.',
  ),
  D25: ours(
    '§4',
    'Two ways to refund',
    'POST /v1/refunds names a checkout or an authorization in its body. Rules and record are those of POST /v1/checkouts/{id}/refunds.',
  ),
  D26: ours(
    '§5',
    'Cards only',
    'A refund of a non-card authorization is 403, as for a checkout. Where no payment method is chosen yet, the state is wrong: 409.',
  ),
  D27: ours(
    '§2',
    'How much can be refunded',
    'Several refunds are allowed, together at most the amount that was charged. Pending refunds count too.',
  ),
  D28: ours(
    '§3',
    'After a refund',
    'A checkout stays confirmed and an authorization captured. amountRefunded shows how much was refunded.',
  ),
  D29: ours(
    '§2',
    'When a business becomes a customer',
    'A checkout may name an externalId that no customer has. The customer is created when the buyer approves or pays.',
  ),
  D30: ours(
    '§6',
    'Event types',
    'resource.past_tense. One for each creation and each change of state, and no others.',
  ),
  D31: ours(
    '§4',
    'Idempotency-Key syntax',
    'Any printable ASCII, taken literally with quotes and spaces. An empty key, or two keys, is malformed.',
  ),
  D32: ours(
    '§4',
    'Idempotency scope',
    'Platform, method, path with its ids, and key. The same key on another path is another key.',
  ),
  D33: ours(
    '§4',
    'The same body',
    'Bodies are compared as parsed JSON: field order, white space and 1000 against 1000.00 make no difference.',
  ),
  D34: implied(
    '§8',
    'The rate window',
    'Fixed: it starts with the first request and lasts a minute. Every request counts, but a refused one does not make the window longer. Each sandbox counts each IP.',
  ),
  D35: ours(
    '§8',
    'Rate limit headers',
    'X-RateLimit-Limit, -Remaining and -Reset on every response; Retry-After on 429.',
  ),
  D36: ours(
    '§6',
    'Signature',
    'Standard Webhooks 1.0.0: webhook-id, webhook-timestamp, webhook-signature, a whsec_ secret.',
  ),
  D37: ours('§6', 'Signature tolerance', 'Five minutes.'),
  D38: ours(
    '§6',
    'The signed timestamp',
    'The time of the machine, not of the sandbox’s clock, because a receiver compares it with its own time.',
  ),
  D39: implied(
    '§2',
    'Empty fields',
    'A response has every documented field, with null if it does not apply. Only existingResourceId may be omitted.',
  ),
  D40: ours(
    '§4',
    'Status of a success',
    '201 with Location for a created resource, 200 for everything else.',
  ),
  D41: ours(
    '§4',
    'Methods',
    'A wrong method on an existing path is 405 with Allow. HEAD is GET without a body. OPTIONS is 405: a browser must not have the secret key.',
  ),
  D42: ours('§5', 'The 401 header', '401 has WWW-Authenticate: ApiKey, because HTTP requires that header.'),
  D43: implied(
    '§4',
    'Which responses a key stores',
    'Every response of the operation itself, including its refusals. Not 401, 413, 415, 422, 429, 500, not 404 or 405 for the route, and not the 400 for a wrong field.',
  ),
  D44: ours(
    '§4',
    'The header of a replay',
    'Idempotent-Replayed: true. Status and body are those of the first response.',
  ),
  D45: ours(
    '§4',
    'A key in flight',
    '409 with Retry-After: 1 for any body; no other 409 has that header. The key is locked in memory only, so a crash leaves no key locked.',
  ),
  D46: ours('§4', 'How long a key is kept', '24 hours from its first use, on the sandbox’s clock.'),
  D47: ours(
    '§8',
    'The client’s IP',
    'The address of the socket. X-Forwarded-For counts only with --trust-proxy, or for a sandbox with trustProxy.',
  ),
  D48: ours('§3', 'How long a refund takes', 'Five seconds, or refundDelay.'),
  D49: ours(
    '§6',
    'Retries',
    'Ten attempts over a little more than three days (after 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h). Each waits at most fifteen seconds for the response. A redirect is a failure. 410 disables the endpoint.',
  ),
  D50: ours(
    '§6',
    'Order of webhooks',
    'Each event is delivered at least once. The events of one order arrive in order, unless an attempt fails: its checkout or authorization, its refunds, and the customer and payment method that it created. Events of other orders, customers and payment methods are sent concurrently.',
  ),
  D51: ours(
    '§1',
    'Magic values',
    'Code 000000, applicant Test Approved, last four 0000, test card 4242 4242 4242 4242, routing 222222226. All of them can be changed.',
  ),
  D52: ours(
    '§1',
    'Credit in staging',
    'With the high-score last four: score 800, up to 250 000.00. Otherwise: score 650, up to 25 000.00. A higher amount is declined.',
  ),
  D53: ours(
    '§1',
    'Messages',
    'The log-in code, the application’s decision, the receipt and the completed refund are stored in the outbox. No message is sent.',
  ),
  D54: ours(
    '§1',
    'Money',
    'Each confirmation, capture and refund writes one ledger row. A refund’s row is written when it is created, not when it completes.',
  ),
  D55: ours(
    '§4',
    'Reads',
    'Every kind of resource can be listed and read under its plural. A refund’s status is at /v1/refunds/{id}. A wrong value of a filter is 400. An unknown filter is ignored.',
  ),
  D56: ours(
    '§1',
    'The hosted page',
    'The buyer logs in with a code, chooses card or bank account, applies for credit before a bank account, reviews and accepts. A declined buyer may still pay by card. A buyer who comes back continues where they left.',
  ),
  D57: ours(
    '§1',
    'The buyer’s session',
    'It ends after half an hour without a request. Five wrong codes lock a checkout’s log-in for fifteen minutes. Both are counted on the sandbox’s clock.',
  ),
  D58: ours(
    '§7',
    'A full disk',
    'Every write is 503 and its key stays unused. Reads work. Due refunds and webhooks wait until there is free space.',
  ),
  D59: ours('§2', 'Compressed bodies', '415, with Accept-Encoding: identity in the response.'),
  D60: ours(
    '§8',
    'The limit of a frozen clock',
    'While the clock is frozen, the default limit counts and its headers go down to 0, but it does not refuse: its minute would not end. A limit that was set, as an option or by a behavior, still refuses.',
  ),
  D61: implied(
    '§1',
    'Two environments',
    'Staging and a simulation of production, each at its own address. At the address of the other environment a key is unknown: 401, Invalid API key. Keys begin with sk_staging_ or sk_live_. A sandbox of production is named production.NAME; at its own address it is NAME, and one of staging is staging.NAME there. No data gets from one into the other, by copy or by snapshot.',
  ),
  D62: ours(
    '§1',
    'Production’s checks',
    'None of staging’s shortcuts. Each log-in code is random and works once, for the contact that it was sent to. A national ID and an account number must be plausible, a routing number assigned. The bank declines published test cards and routing numbers and accepts every other. A checkout can be confirmed only after its buyer has approved, and a customer without a payment method has none. X-Sim and magic orders do nothing. No money moves and no message leaves the machine.',
  ),
  D63: ours(
    '§1',
    'Credit in production',
    'A score from 520 to 850: 520 plus FNV-1a of seed, first name, last name and last four (small letters, spaces between), modulo 331. From 580: up to 10 000.00, from 670: up to 50 000.00, from 740: up to 250 000.00. A behavior with decision decides before the score.',
  ),
}

export const DECISIONS: readonly Decision[] = Object.entries(CHOICES).map(([id, choice]) => ({
  id: id as Decision['id'],
  ...choice,
}))
