/** The buyer's contact: an e-mail address, or a phone number without spaces and marks. */
import type { Checked } from '../environments/forms.ts'

export interface Contact {
  channel: 'email' | 'sms'
  to: string
}

export function readContact(text: string): Checked<Contact, 'contact'> {
  const trimmed = text.trim()
  if (/^[^\s@]+@[^\s@]+\.[^\s@.]+$/.test(trimmed) && trimmed.length <= 254) {
    return { value: { channel: 'email', to: trimmed.toLowerCase() } }
  }
  const number = trimmed.replace(/[\s().-]/g, '')
  if (/^\+?\d{7,15}$/.test(number)) return { value: { channel: 'sms', to: number } }
  return { problems: { contact: 'Enter an e-mail address or a phone number.' } }
}

export const channelOf = (to: string): Contact['channel'] => (to.includes('@') ? 'email' : 'sms')
