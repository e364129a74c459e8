import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Inviting, startInviting } from '#tests/support/inviting.ts'
import { mailTo } from '#tests/support/mail.ts'

let { server, mailServer, owner, member, asOwner, org, stop } = {} as Inviting
beforeAll(async () => {
  ;({ server, mailServer, owner, member, asOwner, org, stop } = await startInviting())
})
afterAll(() => stop())

const newEmail = () => `${randomUUID()}@example.com`

async function signUp(language: string) {
  const email = newEmail()
  const body = { email, password: 'correct horse', first_name: 'Ada', last_name: 'Lovelace' }
  const { body: signedIn } = await server.call('POST', '/api/auth/signup', {
    body,
    headers: { 'Accept-Language': language },
  })
  return { email, token: signedIn.access_token as string, user: signedIn.user }
}

const change = (token: string, body: object) => server.call('PUT', '/api/users/me', { token, body })

test.each([
  ['de-AT,de;q=0.9,en;q=0.8', 'de'],
  ['fr-FR, en-GB;q=0.4, de;q=0.7', 'de'],
  ['en-US', 'en'],
  ['fr, *;q=0.1', null],
  ['de;q=0', null],
  ['', null],
])('an account created with Accept-Language %j has the language %j', async (header, language) => {
  const { user, email } = await signUp(header)
  expect(user.language).toBe(language)
  const subject = language === 'de' ? 'Bestätigen Sie Ihre E-Mail-Adresse' : 'Confirm your email address'
  const mail = await mailTo(mailServer, email, subject)
  expect(mail.html).toContain(`lang="${language ?? 'en'}"`)
  expect(mail.token).not.toBe('')
})

test('the language of an account can be changed, and its email follows', async () => {
  const { token, email } = await signUp('de')
  expect((await change(token, { language: 'en' })).body.language).toBe('en')
  await server.call('POST', '/api/auth/forgot_password', { body: { email } })
  expect((await mailTo(mailServer, email, 'Reset your password')).text).toContain('expires in 1 hour')

  expect((await change(token, { first_name: 'Augusta' })).body.language).toBe('en')
  expect((await change(token, { language: null })).body.language).toBeNull()
  expect((await server.call('GET', '/api/users/me', { token })).body.language).toBeNull()
  const refused = await change(token, { language: 'tlh' })
  expect([refused.status, refused.body.code]).toEqual([400, 'request.invalid'])
})

test('an invitation to a person without an account is in the language of the inviter', async () => {
  await change(owner.token, { language: 'de' })
  const email = newEmail()
  const sent = await asOwner('POST', `/api/invitations/create?${org}`, { email, role_id: member })
  expect(sent.status).toBe(201)
  const mail = await mailTo(mailServer, email, 'hat Sie in die eigene Organisation')
  expect(mail.text).toContain('Die Einladung läuft in 7 Tagen ab')
})

test('right-to-left names in email are isolated', async () => {
  await change(owner.token, { language: 'en', first_name: 'עדה' })
  const email = newEmail()
  await asOwner('POST', `/api/invitations/create?${org}`, { email, role_id: member })
  expect((await mailTo(mailServer, email, 'invited you')).subject).toMatch(
    /^\u2068עדה Lovelace\u2069 invited you/,
  )
})
