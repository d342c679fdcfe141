import { styleText } from 'node:util'

export interface Colors {
  good(text: string): string
  bad(text: string): string
  faint(text: string): string
  strong(text: string): string
}

/**
 * Styles for a terminal. Without `color`, text is returned unchanged. The caller has checked the terminal, so styleText need not.
 */
export function colorsFor(color: boolean): Colors {
  const style = (name: 'green' | 'red' | 'dim' | 'bold') => (text: string) =>
    color ? styleText(name, text, { validateStream: false }) : text
  return { good: style('green'), bad: style('red'), faint: style('dim'), strong: style('bold') }
}
