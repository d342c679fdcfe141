/** The log-in page. */
import { ErrorSummary, Field, Form, Submit } from '../form.tsx'
import { Frame } from '../frame.tsx'
import { UI } from './links.ts'

const LABELS = { adminToken: 'Admin token' }

/** Its form has no token, as there is no session yet: a page of another origin is refused by its `Origin`. */
export function DashboardLogInPage({ back, problem }: { back: string; problem?: string | undefined }) {
  return (
    <Frame title="Log in · paysim">
      <main class="alone" id="main">
        <ErrorSummary
          problems={problem === undefined ? undefined : { adminToken: problem }}
          labels={LABELS}
        />
        <div class="lead">
          <h1>Log in with the admin token</h1>
          <p>
            This simulator was started with <code>--admin-token</code> or <code>PAYSIM_ADMIN_TOKEN</code>.
            Enter that token.
          </p>
        </div>
        <Form action={`${UI}/log-in`}>
          <input type="hidden" name="back" value={back} />
          <Field
            name="adminToken"
            label={LABELS.adminToken}
            type="password"
            autocomplete="current-password"
            problem={problem}
            autofocus={problem === undefined}
          />
          <Submit>Log in</Submit>
        </Form>
      </main>
    </Frame>
  )
}
