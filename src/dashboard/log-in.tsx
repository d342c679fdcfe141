/** The pages of whoever is not let in yet, or asks for what is not there. */
import type { Child } from 'hono/jsx'
import { Notice } from '../pages/blocks.tsx'
import { Field, Form, Submit } from '../pages/form.tsx'
import { Frame } from '../pages/frame.tsx'
import { UI } from './links.ts'

export function DashboardLogInPage({
  token,
  back,
  problem,
}: {
  token: string
  back: string
  problem?: string | undefined
}) {
  return (
    <Frame title="Log in · paysim">
      <main class="alone" id="main">
        <div class="lead">
          <h1>The dashboard asks for the admin token</h1>
          <p>
            It is what this simulator was started with: <code>--admin-token</code>, or{' '}
            <code>PAYSIM_ADMIN_TOKEN</code>.
          </p>
        </div>
        <Form action={`${UI}/log-in`} token={token}>
          <input type="hidden" name="back" value={back} />
          <Field
            name="adminToken"
            label="Admin token"
            type="password"
            autocomplete="current-password"
            problem={problem}
            autofocus
          />
          <Submit>Log in</Submit>
        </Form>
      </main>
    </Frame>
  )
}

export function PlainPage({ title, children }: { title: string; children?: Child }) {
  return (
    <Frame title={`${title} · paysim`}>
      <main class="alone" id="main">
        <div class="lead">
          <h1>{title}</h1>
        </div>
        <Notice>{children}</Notice>
        <a class="button wide" href={UI}>
          To the dashboard
        </a>
      </main>
    </Frame>
  )
}
