/** The fields of the dashboard's forms. */
import type { Child } from 'hono/jsx'
import { Problem } from '../form.tsx'

export function Labeled({ label, children }: { label: string; children?: Child }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children
    <label class="labeled">
      <span>{label}</span>
      {children}
    </label>
  )
}

/** A choice: its value, or a pair of its value and its words. */
export type Option = string | readonly [value: string, words: string]

interface FieldProps {
  name: string
  label: string
  value?: string | undefined
  /** The choices; left out if any text is allowed. */
  options?: readonly Option[] | undefined
  /** What is wrong with the text, as a sentence. */
  problem?: string | undefined
  placeholder?: string | undefined
  type?: 'search' | 'url'
  inputmode?: 'numeric'
  required?: boolean
}

export function LabeledField({ label, options, problem, name, value, ...input }: FieldProps) {
  return (
    <Labeled label={label}>
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
      ) : (
        <input
          class="text"
          name={name}
          value={value}
          {...input}
          {...(problem && { 'aria-invalid': 'true', 'aria-describedby': `${name}-problem`, autofocus: true })}
        />
      )}
      {problem && <Problem of={name}>{problem}</Problem>}
    </Labeled>
  )
}
