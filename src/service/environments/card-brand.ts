/** The brand of a card, by the number ranges that the networks publish. */

const BRANDS: [brand: string, name: string, prefix: RegExp][] = [
  ['visa', 'Visa', /^4/],
  ['mastercard', 'Mastercard', /^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/],
  ['amex', 'American Express', /^3[47]/],
  ['discover', 'Discover', /^(6011|64[4-9]|65)/],
  ['diners', 'Diners Club', /^3(0[0-5]|[689])/],
  ['jcb', 'JCB', /^35/],
  ['unionpay', 'UnionPay', /^62/],
]

export function brandOf(digits: string): string {
  return BRANDS.find(([, , prefix]) => prefix.test(digits))?.[0] ?? 'unknown'
}

/** As printed on the card; undefined for an unknown brand. */
export const brandName = (brand: string): string | undefined => BRANDS.find(([name]) => name === brand)?.[1]
