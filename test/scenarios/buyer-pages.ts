/** The buyer's pages in order: docs/scenario-reference.md has them as a table, and buyer.test.ts walks through them. */

export interface BuyerPage {
  heading: string
  /** The fields to fill, with valid values; null if only a button is pressed. */
  fields: Record<string, string> | null
  /** The buttons in addition to "Cancel and return to …", which every page has. */
  buttons: readonly string[]
  /** The next page. */
  next: string
}

export const SHOP = 'the successUrl of the shop'

const LOG_IN: BuyerPage[] = [
  {
    heading: 'Log in to pay',
    fields: { contact: 'ann@shop.test' },
    buttons: ['Send the code'],
    next: 'Enter the code',
  },
  {
    heading: 'Enter the code',
    fields: { code: '000000' },
    buttons: ['Log in', 'Send a new code', 'Use another e-mail or phone'],
    next: 'How would you like to pay?',
  },
]

const choose = (method: string, next: string): BuyerPage => ({
  heading: 'How would you like to pay?',
  fields: { method },
  buttons: ['Continue'],
  next,
})

const review: BuyerPage = {
  heading: 'Review and pay',
  fields: null,
  buttons: ['Accept and pay', 'Change'],
  next: SHOP,
}

const apply = (last: string, next: string): BuyerPage => ({
  heading: 'Tell us who is buying',
  fields: { first: 'Test', last, business: 'Ann LLC', nationalId: '123456789' },
  buttons: ['Apply', 'Pay another way'],
  next,
})

/** Each path through the pages, from first to last. */
export const BUYER_WAYS: Record<string, BuyerPage[]> = {
  'by card': [
    ...LOG_IN,
    choose('card', 'Card details'),
    {
      heading: 'Card details',
      fields: { number: '4242 4242 4242 4242', expiry: '12/30', cvc: '123' },
      buttons: ['Continue to review', 'Pay another way'],
      next: 'Review and pay',
    },
    review,
  ],
  'by bank account': [
    ...LOG_IN,
    choose('bank_account', 'Tell us who is buying'),
    apply('Approved', 'Your bank account'),
    {
      heading: 'Your bank account',
      fields: { routing: '222222226', account: '000123456789' },
      buttons: ['Continue to review', 'Pay another way'],
      next: 'Review and pay',
    },
    review,
  ],
  'declined by the bank': [
    ...LOG_IN,
    choose('bank_account', 'Tell us who is buying'),
    apply('Declined', 'We cannot offer you credit for this order'),
    {
      heading: 'We cannot offer you credit for this order',
      fields: null,
      buttons: ['Pay by card instead'],
      next: 'Card details',
    },
  ],
}

/** Each page once, with all possible next pages. */
export function buyerPageRows(): string[][] {
  const pages = new Map<string, { page: BuyerPage; next: Set<string> }>()
  for (const page of Object.values(BUYER_WAYS).flat()) {
    const known = pages.get(page.heading) ?? { page, next: new Set<string>() }
    known.next.add(page.next)
    pages.set(page.heading, known)
  }
  const asCode = (words: readonly string[]) => words.map((word) => `\`${word}\``).join(', ')
  return [...pages.values()].map(({ page, next }) => [
    page.heading,
    asCode(Object.keys(page.fields ?? {})),
    asCode(page.buttons),
    [...next].join(', or: '),
  ])
}
