/** Forms. Each field is linked to its label, hint and error, so that a screen reader reads them together. */
import type { Child } from 'hono/jsx'
import type { FormOption } from '../tester/control/request-filter.ts'
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

export interface FieldProps {
  name: string
  label: string
  value?: string | undefined
  hint?: string
  /** The text's error, as a sentence. */
  problem?: string | undefined
  /** The choices; omitted if any text is allowed. */
  options?: readonly FormOption[] | undefined
  /** The initial height of a multi-line text. */
  rows?: number
  placeholder?: string | undefined
  type?: 'password' | 'url' | 'number'
  inputmode?: 'numeric' | 'email'
  autocomplete?: string
  maxlength?: number
  required?: boolean
  /** Of a refused form the first wrong field has it, so that a screen reader reads its error. */
  autofocus?: boolean
}

export function Field({ label, hint, problem, options, value, rows, ...input }: FieldProps) {
  const { name } = input
  const described = [hint && `${name}-hint`, problem && `${name}-problem`].filter(Boolean).join(' ')
  const field = {
    ...input,
    'aria-invalid': problem ? ('true' as const) : undefined,
    'aria-describedby': described || undefined,
  }
  return (
    <div class="field">
      {/* biome-ignore lint/a11y/noLabelWithoutControl: the control is one of three below */}
      <label>
        <span>{label}</span>
        {options ? (
          <select name={name}>
            {options.map((option) => {
              const [each, words] = typeof option === 'string' ? [option, option] : option
              return (
                <option value={each} selected={value === each}>
                  {words}
                </option>
              )
            })}
          </select>
        ) : rows !== undefined ? (
          <textarea class="input" {...field} rows={rows}>
            {`\n${value}`}
          </textarea>
        ) : (
          <input
            class="input"
            autocomplete="off"
            step={input.type === 'number' ? 'any' : undefined}
            {...field}
            value={value}
          />
        )}
      </label>
      {hint && (
        <p class="soft small" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      {problem && <Problem of={name}>{problem}</Problem>}
    </div>
  )
}

/** Below the control, which names it by `aria-describedby`. */
export function Problem({ of, children }: { of: string; children?: Child }) {
  return (
    <span class="problem" id={`${of}-problem`} data-kept>
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
