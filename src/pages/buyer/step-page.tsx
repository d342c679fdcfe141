/** The page of a step. */
import { Lead } from '../blocks.tsx'
import { Field, Form, Submit } from '../form.tsx'
import { CheckoutFrame, Emblem, Staging, type StepName } from './frame.tsx'
import type { Shape, Step, StepView } from './step.ts'

export function StepPage({
  name,
  step,
  view,
}: {
  name: StepName
  step: Step<string>
  view: StepView<string>
}) {
  const { title, question = title, emblem, about, good, labels = {}, fields = [] } = step
  const { form, button, below, helpTitle, help } = step
  const { order, token, values, problems, fills } = view
  const [wrong] = Object.keys(problems ?? {})
  const show = (shape: Shape<string>) => {
    const { name, autofocus = name === wrong } = shape
    const state = { label: labels[name]!, value: values?.[name], problem: problems?.[name] }
    return <Field {...shape} {...state} autofocus={autofocus} required />
  }
  return (
    <CheckoutFrame order={order} step={name} title={title} isRefused={wrong !== undefined}>
      {emblem && <Emblem tone="bad" icon={emblem} />}
      <Lead title={question}>{about?.(view)}</Lead>
      {!problems && good?.(view)}
      <Form action={`${order.path}/${name}`} token={token}>
        {fields.map((part) => ('name' in part ? show(part) : <div class="pair">{part.map(show)}</div>))}
        {form?.(view)}
        <Submit>{button(view)}</Submit>
      </Form>
      {below?.(view)}
      {(help || fills.length > 0) && (
        <Staging order={order} title={helpTitle} fills={fills}>
          {help?.(view)}
        </Staging>
      )}
    </CheckoutFrame>
  )
}
