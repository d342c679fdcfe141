/** A buyer's browser without a screen: walks through the hosted page of one checkout, form by form. */
import type { Address } from '../../src/server/simulator/simulator.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

export const CARD = { number: '4242 4242 4242 4242', expiry: '12/34', cvc: '123' }
export const ACCOUNT = { routing: '222222226', account: '000123456789' }
export const ADA = { first: 'Ada', last: 'Buyer', business: 'Example', nationalId: '212-38-4718' }

export interface Page {
  status: number
  /** The redirect target of a form; empty if the same page is shown again. */
  to: string
  text: string
  /** The form's errors, as shown on the page. */
  problems: string[]
}

export class BuyersBrowser {
  readonly #send: Address['fetch']
  readonly #base: string
  /** The cookie of its session, as `name=value`. */
  cookie = ''
  #page: Page | undefined

  constructor({ fetch }: Pick<Address, 'fetch'>, checkoutUrl: string) {
    this.#send = fetch
    this.#base = checkoutUrl
  }

  async open(step = ''): Promise<Page> {
    return this.#answered(await this.#send(this.#request(step)))
  }

  /** Fills in the current form, and follows redirects on this site. */
  async submit(step: string, fields: Record<string, string>): Promise<Page> {
    const token = /name="token" value="([^"]+)"/.exec(this.#page?.text ?? '')?.[1] ?? ''
    const body = new URLSearchParams({ token, ...fields })
    const sent = await this.#send(this.#request(step, { method: 'POST', headers: FORM, body }))
    const page = await this.#answered(sent)
    return page.to.startsWith('/') ? { ...(await this.#follow(page.to)), to: page.to } : page
  }

  async #follow(path: string): Promise<Page> {
    const url = new URL(path, this.#base)
    const page = await this.#answered(
      await this.#send(new Request(url, { headers: { cookie: this.cookie } })),
    )
    return page.to.startsWith('/') ? this.#follow(page.to) : page
  }

  #request(
    step: string,
    { headers = {}, ...init }: { method?: string; headers?: object; body?: URLSearchParams } = {},
  ) {
    const url = step === '' ? this.#base : `${this.#base}/${step}`
    return new Request(url, { ...init, headers: { ...headers, cookie: this.cookie } })
  }

  async #answered(response: Response): Promise<Page> {
    this.cookie = response.headers.get('set-cookie')?.split(';')[0] ?? this.cookie
    const text = await response.text()
    const problems = [...text.matchAll(/id="\w+-problem"[^>]*>(?:<svg.*?<\/svg>)?(?:<span>)?([^<]+)/gs)]
    this.#page = {
      status: response.status,
      to: response.headers.get('location') ?? '',
      text,
      problems: problems.map(([, problem]) => problem!.trim()),
    }
    return this.#page
  }
}
