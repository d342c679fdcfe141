/** The outbox: the e-mails and SMS that production would send. */

import { notFound } from '../../spec/contract/errors.ts'
import { MESSAGE_TEMPLATES } from '../../spec/contract/tester.ts'
import type { Environment } from '../../spec/environments/environment.ts'
import type { Message } from '../../tester/control/shapes.ts'
import { Icon } from '../icons.tsx'
import { Action, Empty, Id, TimeCell } from './blocks.tsx'
import { type FilterField, requireChoices, withoutMistakes } from './filter.tsx'
import { ByDay, ListFrame } from './list-frame.tsx'
import { chosenOf, inPath, pageRoute, ROWS_SHOWN, routeTo } from './page-request.ts'
import type { View } from './view.ts'

const ABOUT: Readonly<Record<Environment, string>> = {
  staging: 'Staging sends no e-mail and no SMS. The messages that production would send are listed here.',
  production: 'Nothing was sent. These are the messages that production would have sent.',
}

const OUTBOX_FILTERS: readonly FilterField[] = [
  {
    name: 'template',
    label: 'Kind',
    options: MESSAGE_TEMPLATES.map((template) => [template, template.replace('_', ' ')] as const),
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
            A message is written when a buyer logs in on the hosted page, when an application is decided, when
            a checkout is confirmed, and when a refund is completed.
          </p>
        </Empty>
      }
      tools={
        data.length > 0 && (
          <Action
            view={view}
            action="clearOutbox"
            label="Clear the outbox"
            warning="The messages cannot be brought back."
          />
        )
      }
    >
      {data.length > 0 && <MessageList view={view} messages={data} />}
    </ListFrame>
  ),
})

export const MessageList = ({ view, messages }: { view: View; messages: readonly Message[] }) => (
  <ByDay look="messages" rows={messages} atOf={({ createdAt }) => createdAt}>
    {(message) => <MessageCard view={view} message={message} />}
  </ByDay>
)

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
      <p class="subject">{subject ?? `SMS to ${to}`}</p>
      <p class="body">{body}</p>
      <footer class="soft">
        {template.replace('_', ' ')} · about <Id id={relatedId} links={links} />
      </footer>
    </li>
  )
}

/** A message is shown with the resource that it is about. */
export const messageLink = routeTo('/outbox/:id', ({ c, control: { browse }, view: { links } }) => {
  const message = browse.message(inPath(c, 'id'))
  if (!message) throw notFound('Message')
  return { to: `${links.any(message.relatedId)}#${message.id}` }
})
