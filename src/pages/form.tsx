/** Forms. Each field is linked to its label, hint and error, so that a screen reader reads them together. */
import type { Child } from 'hono/jsx'
import { Icon } from './icons.tsx'

/** The typed text and the error, by field name. */
export type FormState<Name extends string> = {
  values?: Partial<Record<Name, string>> | undefined
  problems?: Partial<Record<Name, string>> | undefined
}

type FormProps = { action: string; token?: string; children?: Child }

/** `novalidate`: the server writes errors next to the field, where they stay; a browser's own messages disappear. */
export function Form({ action, token, children }: FormProps) {
  return (
    <form class="stack" method="post" action={action} novalidate>
      {token !== undefined && <input type="hidden" name="token" value={token} />}
      {children}
    </form>
  )
}

export type FieldProps = {
  name: string
  label: string
  hint?: string
  value?: string | undefined
  problem?: string | undefined
  type?: 'text' | 'password'
  inputmode?: 'numeric' | 'email'
  autocomplete?: string
  maxlength?: number
  /** Only digits, at most this many. */
  digits?: number
  look?: 'digits' | 'code'
  autofocus?: boolean | undefined
  /** An output below the text, which a script writes. */
  named?: boolean
}

/** The labels of a form's fields. */
export type Labels<Name extends string> = Readonly<Record<Name, string>>

/** Adds each field's label, value and error. */
export function fieldsOf<Name extends string>({ values, problems }: FormState<Name>, labels: Labels<Name>) {
  return (name: Name) => ({
    name,
    label: labels[name],
    value: values?.[name],
    problem: problems?.[name],
  })
}

interface ErrorSummaryProps<Name extends string> {
  problems: Partial<Record<Name, string>> | undefined
  labels: Labels<Name>
}

/** The wrong fields, above the form, each a link to its error. It gets the focus, so that it is read first. */
export function ErrorSummary<Name extends string>({ problems = {}, labels }: ErrorSummaryProps<Name>) {
  const wrong = Object.keys(problems) as Name[]
  if (wrong.length === 0) return null
  return (
    <section class="notice bad error-summary" tabindex={-1} autofocus aria-labelledby="wrong">
      <Icon name="warning" />
      <div>
        <h2 id="wrong">There is a problem</h2>
        <ul>
          {wrong.map((name) => (
            <li>
              <a href={`#${name}`}>{labels[name]}</a>
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}

export function Field({
  name,
  label,
  hint,
  value,
  problem,
  digits,
  look = digits === undefined ? undefined : 'digits',
  named = false,
  type = 'text',
  autocomplete = 'off',
  inputmode = digits === undefined ? undefined : 'numeric',
  maxlength = digits,
  autofocus,
}: FieldProps) {
  const described = [hint && `${name}-hint`, problem && `${name}-problem`].filter(Boolean).join(' ')
  return (
    <div class="field">
      <label for={name}>{label}</label>
      {hint && (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      <input
        class={look ? `input ${look}` : 'input'}
        id={name}
        name={name}
        type={type}
        value={value}
        required
        aria-invalid={problem ? 'true' : undefined}
        aria-describedby={described || undefined}
        autocomplete={autocomplete}
        inputmode={inputmode}
        maxlength={maxlength}
        autofocus={autofocus}
      />
      {named && <output class="hint" for={name} />}
      {problem && <Problem of={name}>{problem}</Problem>}
    </div>
  )
}

/** Below the control, which names it by `aria-describedby`. */
export function Problem({ of, children }: { of: string; children?: Child }) {
  return (
    <span class="problem" id={`${of}-problem`}>
      <Icon name="warning" size={16} />
      <span>{children}</span>
    </span>
  )
}

export function Submit({ children }: { children?: Child }) {
  return (
    <button class="knob main wide" type="submit">
      {children}
    </button>
  )
}
