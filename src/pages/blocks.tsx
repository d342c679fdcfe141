/** The blocks that pages share. */

import type { Child } from 'hono/jsx'
import { type Cents, moneyText } from '../spec/contract/money.ts'
import { type Environment, NOTICES } from '../spec/environments/environment.ts'
import { Icon, type IconName } from './icons.tsx'

export type Tone = 'good' | 'bad' | 'wait' | 'plain'

const icons: Record<Tone, IconName> = { good: 'check', bad: 'warning', wait: 'warning', plain: 'info' }

/** `alert`: a screen reader reads it when the page opens. */
type NoticeProps = { tone?: Tone; alert?: boolean; children?: Child }

export function Notice({ tone = 'plain', alert = false, children }: NoticeProps) {
  return (
    <div class={`notice ${tone}`} role={alert ? 'alert' : undefined}>
      <Icon name={icons[tone]} />
      <div>{children}</div>
    </div>
  )
}

/** The environment, above everything else. */
export function Strip({ environment }: { environment: Environment }) {
  const { look, title, text } = NOTICES[environment]
  return (
    <section class={look} aria-label="Environment">
      <b>{title}</b> {text}
    </section>
  )
}

/** The title of a page with a single question or statement, and a sentence below it. */
export function Lead({ title, children }: { title: string; children?: Child }) {
  return (
    <div class="lead">
      <h1>{title}</h1>
      {children && <p class="soft">{children}</p>}
    </div>
  )
}

export type Term = readonly [term: string, detail: Child]

export const Terms = ({ terms }: { terms: readonly Term[] }) => (
  <dl class="terms">
    {terms.map(([term, detail]) => (
      <div>
        <dt>{term}</dt>
        <dd>{detail}</dd>
      </div>
    ))}
  </dl>
)

export function MoneyText({ amount, currency }: { amount: Cents; currency: string }) {
  return <span class="money">{moneyText(amount, currency)}</span>
}
