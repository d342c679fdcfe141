/** Colors for a terminal that shows them. */
export interface Painter {
  good(text: string): string
  bad(text: string): string
  faint(text: string): string
  strong(text: string): string
}

const code = (on: number, off: number) => (text: string) => `\u001b[${on}m${text}\u001b[${off}m`
const plain = (text: string) => text

export const paint = (color: boolean): Painter =>
  color
    ? { good: code(32, 39), bad: code(31, 39), faint: code(2, 22), strong: code(1, 22) }
    : { good: plain, bad: plain, faint: plain, strong: plain }
