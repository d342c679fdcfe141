/** Signed cookies and form tokens, over requests of a real Hono app. */
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { Sessions } from '../../src/pages/session.ts'

const SESSION = '{"id":"ses_1","contact":"ada@example.test"}'

/** Starts a session and returns its cookie as a browser sends it back. */
async function begin(sessions: Sessions, address = 'http://localhost/checkout/chk_1') {
  const app = new Hono().get('/', async (c) => {
    await sessions.write(c, 'name', SESSION, new URL(address))
    return c.body(null)
  })
  const header = (await app.request('/')).headers.get('set-cookie')!
  return { header, cookie: header.split(';')[0]! }
}

async function read(sessions: Sessions, cookie: string): Promise<string> {
  const app = new Hono().get('/', async (c) => c.text((await sessions.read(c, 'name')) ?? 'none'))
  return (await app.request('/', { headers: { cookie } })).text()
}

describe('the cookie of a session', () => {
  const sessions = new Sessions('secret')

  it('returns the stored value, also after a restart with the same secret', async () => {
    const { cookie } = await begin(sessions)
    expect(await read(new Sessions('secret'), cookie)).toBe(SESSION)
  })

  it('is ignored if it was changed or comes from elsewhere', async () => {
    const { cookie } = await begin(sessions)
    const forged = `name=ses_1.${sessions.formToken('ses_1')}`
    for (const sent of [
      '',
      'name=..',
      cookie.replace('ada', 'eve'),
      cookie.replace(/.$/, '_'),
      cookie.slice(0, cookie.lastIndexOf('.')),
      cookie.replace('name', 'other'),
      // A form's token has the length of a signature, and is derived from a text that the visitor knows.
      forged,
      `${forged}=`,
    ]) {
      expect(await read(sessions, sent)).toBe('none')
    }
    expect(await read(new Sessions('another'), cookie)).toBe('none')
  })

  it('has a path, is not readable by scripts, and is Secure over https only', async () => {
    expect((await begin(sessions)).header).toMatch(/; Path=\/checkout\/chk_1; HttpOnly; SameSite=Lax$/)
    expect((await begin(sessions, 'https://pay.test/')).header).toMatch(/; HttpOnly; Secure; SameSite=Lax$/)
  })
})

describe('the token of a form', () => {
  it('is valid for one session and one secret', async () => {
    const sessions = new Sessions('secret')
    const token = sessions.formToken('ses_1')
    expect(await new Sessions('secret').isFormToken(token, 'ses_1')).toBe(true)
    expect(await sessions.isFormToken(token, 'ses_2')).toBe(false)
    expect(await sessions.isFormToken(`${token}x`, 'ses_1')).toBe(false)
    expect(await sessions.isFormToken('', 'ses_1')).toBe(false)
    expect(await new Sessions('another').isFormToken(token, 'ses_1')).toBe(false)
  })
})
