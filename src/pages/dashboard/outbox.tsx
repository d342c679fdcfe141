/** The outbox: the e-mails and SMS that production would send, all of them and one. */

import { notFound } from '../../spec/contract/errors.ts'
import type { Environment } from '../../spec/environments/environment.ts'
import type { Message } from '../../tester/control/shapes.ts'
import { Terms } from '../blocks.tsx'
import { Icon } from '../icons.tsx'
import { Action, Empty, Id, Knob, Section, Snippet, TimeCell } from './blocks.tsx'
import { ByDay } from './days.tsx'
import { type FilterField, requireChoices, withoutMistakes } from './filter.tsx'
import { DashboardFrame } from './frame.tsx'
import { ListFrame } from './list-frame.tsx'
import { chosenOf, FEW_ROWS_SHOWN, inPath, pageRoute, ROWS_SHOWN } from './page-request.ts'
import type { View } from './view.ts'

const ABOUT: Readonly<Record<Environment, string>> = {
  staging: 'Staging sends no e-mail and no SMS. The messages that production would send are listed here.',
  production: 'Nothing was sent. These are the messages that production would have sent.',
}

/** What a message of each kind is written for. */
const TEMPLATES: Readonly<Record<Message['template'], string>> = {
  login_code: 'a log-in on the hosted page',
  application_decision: 'the decision on an application',
  checkout_receipt: 'a confirmed checkout',
  refund_completed: 'a completed refund',
}

const OUTBOX_FILTERS: readonly FilterField[] = [
  {
    name: 'template',
    label: 'Kind',
    options: Object.keys(TEMPLATES).map((template) => [template, template.replace('_', ' ')] as const),
  },
]

export const outboxPage = pageRoute({
  path: '/outbox',
  async load({ c, control }) {
    const { cursor, ...query } = chosenOf(c, ['cursor', 'template'])
    const { read, ...outcome } = await withoutMistakes(query, (where) => {
      requireChoices(OUTBOX_FILTERS, where)
      return control.browse.messages({ where, cursor, limit: ROWS_SHOWN })
    })
    return { ...read, ...outcome, query: { ...query, cursor } }
  },
  view: (view, { data, ...list }) => (
    <ListFrame
      view={view}
      title="Outbox"
      fields={OUTBOX_FILTERS}
      thing="message"
      {...list}
      intro={<p class="soft">{ABOUT[view.environment]}</p>}
      empty={
        <Empty title="No messages yet">
          <p>
            Messages are made when a buyer logs in on the hosted page, when an application is decided, when a
            checkout is confirmed, and when a refund is completed.
          </p>
        </Empty>
      }
      tools={data.length > 0 && <Action view={view} action="clearOutbox" label="Clear the outbox" />}
    >
      {data.length > 0 && (
        <ByDay view={view} look="messages" rows={data} atOf={({ createdAt }) => Date.parse(createdAt)}>
          {(message) => <MessageCard view={view} message={message} />}
        </ByDay>
      )}
    </ListFrame>
  ),
})

export function MessageList({ view, messages }: { view: View; messages: readonly Message[] }) {
  return (
    <ol class="messages" reversed>
      {messages.map((message) => (
        <MessageCard view={view} message={message} />
      ))}
    </ol>
  )
}

function MessageCard({ view: { links }, message }: { view: View; message: Message }) {
  const { id, channel, to, subject, body, relatedId, template, createdAt, wouldBeSent } = message
  const order = links.orderName(relatedId)
  return (
    <li id={id} data-id={id} class={channel}>
      <header>
        <Icon name={channel === 'email' ? 'mail' : 'phone'} size={18} />
        <span>
          {order !== undefined && <b>{order}</b>} <span class="soft">to</span> {to}
        </span>
        {wouldBeSent && <span class="chip way">would have been sent</span>}
        <TimeCell at={createdAt} />
      </header>
      <p class="subject">
        <a href={links.any(id)}>
          {subject ?? `SMS to ${to}`}
          <span class="hidden-text"> {CHANNELS[channel]}</span>
        </a>
      </p>
      <p class="body">{body}</p>
      <footer class="soft">
        {template.replace('_', ' ')} · about <Id id={relatedId} links={links} />
      </footer>
    </li>
  )
}

const CHANNELS: Readonly<Record<Message['channel'], string>> = { email: 'E-mail', sms: 'SMS' }

export const messagePage = pageRoute({
  path: '/outbox/:id',
  load({ c, control: { browse } }) {
    const message = browse.message(inPath(c, 'id'))
    if (!message) throw notFound('Message')
    const { data } = browse.messages({ where: { relatedId: message.relatedId }, limit: FEW_ROWS_SHOWN })
    /** Other messages about the same resource, newest first. */
    return { message, others: data.filter(({ id }) => id !== message.id) }
  },
  view: MessagePage,
})

function MessagePage(view: View, { message, others }: { message: Message; others: readonly Message[] }) {
  const { links } = view
  const { id, channel, to, subject, body, relatedId, code, template, createdAt, wouldBeSent } = message
  return (
    <DashboardFrame
      view={view}
      title={subject ?? `${CHANNELS[channel]} to ${to}`}
      above={
        <>
          <a href={links.page('outbox')}>Outbox</a> / {CHANNELS[channel]}
        </>
      }
      links={<Knob to={links.page('timeline', { of: relatedId })}>Timeline</Knob>}
    >
      <Terms
        terms={[
          ['To', to],
          ...(code === null ? [] : [['Code', <code>{code}</code>] as const]),
          ['Sent', wouldBeSent ? 'no: production would have sent it' : 'no: staging sends nothing'],
          ['Time', <TimeCell at={createdAt} date />],
          ['About', <Id id={relatedId} links={links} whole />],
          ['Written for', TEMPLATES[template]],
          ['Message', <code>{id}</code>],
        ]}
      />
      <Section title="Text">
        <Snippet text={body} label={`Text of the ${CHANNELS[channel]}`} />
      </Section>
      {others.length > 0 && (
        <Section title="Other messages about it" count={others.length}>
          <MessageList view={view} messages={others} />
        </Section>
      )}
    </DashboardFrame>
  )
}
