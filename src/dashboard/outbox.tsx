/** The outbox: the e-mails and SMS that production would send. */
import type { Message } from '../control/shapes.ts'
import type { Environment } from '../environments/environment.ts'
import { Icon } from '../pages/icons.tsx'
import { Action, Empty, Id, TimeCell } from './blocks.tsx'
import { DashboardFrame } from './frame.tsx'
import type { View } from './view.ts'

const ABOUT: Readonly<Record<Environment, string>> = {
  staging: 'Staging sends no e-mail and no SMS. The messages that production would send are listed here.',
  production: 'Nothing was sent. These are the messages that production would have sent.',
}

/** Newest first. */
export function OutboxPage({ view, messages }: { view: View; messages: readonly Message[] }) {
  return (
    <DashboardFrame view={view} title="Outbox">
      <h1>Outbox</h1>
      <p class="soft">{ABOUT[view.environment]}</p>
      {messages.length === 0 ? (
        <Empty title="No messages yet">
          <p>
            Messages are made when a buyer logs in on the hosted page, when an application is decided, when a
            checkout is confirmed, and when a refund is completed.
          </p>
        </Empty>
      ) : (
        <>
          <MessageList view={view} messages={messages} />
          <footer class="tools">
            <Action view={view} action="clearOutbox" label="Clear the outbox" look="risky" />
          </footer>
        </>
      )}
    </DashboardFrame>
  )
}

export function MessageList({ view: { links }, messages }: { view: View; messages: readonly Message[] }) {
  return (
    <ol class="messages" reversed>
      {messages.map(({ id, channel, to, subject, body, relatedId, template, createdAt, wouldBeSent }) => (
        <li id={id} class={channel}>
          <header>
            <Icon name={channel === 'email' ? 'mail' : 'phone'} size={18} />
            <span>
              <span class="soft">To</span> <b>{to}</b>
            </span>
            {wouldBeSent && <span class="chip way">would have been sent</span>}
            <TimeCell at={createdAt} />
          </header>
          {subject !== null && <p class="subject">{subject}</p>}
          <p class="body">{body}</p>
          <footer class="soft">
            {template.replace('_', ' ')} · about <Id id={relatedId} links={links} />
          </footer>
        </li>
      ))}
    </ol>
  )
}
