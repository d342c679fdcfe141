/** The outbox: the e-mails and SMS that production would send. */

import { notFound } from '../../spec/contract/errors.ts'
import { MESSAGE_TEMPLATES } from '../../spec/contract/tester.ts'
import type { Environment } from '../../spec/environments/environment.ts'
import type { Message } from '../../tester/control/shapes.ts'
import { Icon } from '../icons.tsx'
import { Action, OrderAndId, TimeCell } from './blocks.tsx'
import { List } from './list.tsx'
import { type FilterField, listPage } from './list-page.tsx'
import { inPath, ROWS_SHOWN, routeTo } from './page-request.ts'
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

export const outboxPage = routeTo('/outbox', (request) => {
  const { browse, view } = request
  return listPage(request, {
    title: 'Outbox',
    thing: 'message',
    fields: OUTBOX_FILTERS,
    read: (where, cursor) => browse.messages({ where, cursor, limit: ROWS_SHOWN }),
    show: (messages) => <MessageList view={view} messages={messages} />,
    intro: <p class="soft">{ABOUT[view.environment]}</p>,
    empty: (
      <p>
        A message is written when a buyer logs in on the hosted page, when an application is decided, when a
        checkout is confirmed, and when a refund is completed.
      </p>
    ),
    tools: (messages) =>
      messages.length > 0 && <Action view={view} action="clearOutbox" label="Clear the outbox" />,
  })
})

export const MessageList = ({ view: { links }, messages }: { view: View; messages: readonly Message[] }) => (
  <List
    name="Messages"
    rows={messages}
    idOf={({ id }) => id}
    atOf={({ createdAt }) => createdAt}
    columns={[
      { label: 'about', class: 'wide', cell: ({ relatedId }) => <OrderAndId id={relatedId} links={links} /> },
      {
        label: 'to',
        class: 'long',
        cell: ({ channel, to }) => (
          <span class="wrap">
            <Icon name={channel === 'email' ? 'mail' : 'phone'} size={18} />
            {to}
          </span>
        ),
      },
      {
        label: 'message',
        class: 'long',
        cell: ({ subject, body, template, wouldBeSent }) => (
          <>
            <b>{subject ?? `SMS: ${template.replace('_', ' ')}`}</b>
            {wouldBeSent && <span class="chip way">would have been sent</span>}
            <p class="body">{body}</p>
          </>
        ),
      },
      { label: 'time', cell: ({ createdAt }) => <TimeCell at={createdAt} /> },
    ]}
  />
)

/** A message is shown with the resource that it is about. */
export const messageLink = routeTo('/outbox/:id', ({ c, browse, view: { links } }) => {
  const message = browse.message(inPath(c, 'id'))
  if (!message) throw notFound('Message')
  return { to: `${links.any(message.relatedId)}#${message.id}` }
})
