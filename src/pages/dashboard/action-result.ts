/** What a form did, which the next page says. */
import type { Tone } from '../blocks.tsx'

export interface ActionResult {
  tone: Tone
  text: string
  /** What was typed and refused, by the name of its field. */
  wrong?: { name: string; value: string }
  /** A link to the page that shows more. */
  more?: { text: string; page: string; query?: Record<string, string> }
  /** The form of the button Undo. */
  undo?: { action: string; fields: Readonly<Record<string, string>> }
  /** What happened while the clock moved, in order. */
  list?: readonly { at: string; id: string; detail: string }[]
}
