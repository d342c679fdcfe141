/** The fields of the dashboard's forms. */
import type { FormOption } from '../../tester/control/request-filter.ts'
import { Problem } from '../form.tsx'

interface FieldProps {
  name: string
  label: string
  value?: string | undefined
  /** The choices; omitted if any text is allowed. */
  options?: readonly FormOption[] | undefined
  /** The text's error, as a sentence. */
  problem?: string | undefined
  placeholder?: string | undefined
  type?: 'search' | 'url'
  inputmode?: 'numeric'
  required?: boolean
  id?: string
  /** The initial height of a multi-line text. */
  rows?: number
}

export function LabeledField(props: FieldProps) {
  const { label, options, problem, id, name, required, value, rows, ...input } = props
  const named = { id, name, required }
  const wrong = problem && { 'aria-invalid': 'true' as const, 'aria-describedby': `${name}-problem` }
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is one of two below
    <label class="labeled">
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
        <textarea class="input" {...named} rows={rows} {...wrong}>
          {`\n${value}`}
        </textarea>
      ) : (
        <input class="input" {...named} value={value} autofocus={!!problem} {...input} {...wrong} />
      )}
      {problem && <Problem of={name}>{problem}</Problem>}
    </label>
  )
}
