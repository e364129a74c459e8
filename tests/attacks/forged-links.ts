import { randomBytes } from 'node:crypto'
import type { Person } from '#tests/support/client.ts'
import { mailTo } from '#tests/support/mail.ts'
import { roleOf } from '#tests/support/tenants.ts'
import type { Attempt } from './attempts.ts'
import type { Stage } from './stage.ts'

/** Attacks with changed or reused links: signed file URLs, links in email, and invitations. */
export async function forgeLinks(stage: Stage, person: Person): Promise<Attempt[]> {
  return [
    ...(await fileLinks(stage, person)),
    ...(await mailedLinks(stage)),
    ...(await invitations(stage, person)),
  ]
}

async function fileLinks(stage: Stage, person: Person): Promise<Attempt[]> {
  const upload = async (name: string): Promise<URL> => {
    const { body } = await stage.upload(person, { name, bytes: 'a note', type: 'text/plain' })
    return new URL(body.url)
  }
  const [one, another] = [await upload('one.txt'), await upload('another.txt')]
  const read = (url: URL) => async () => (await stage.call('GET', url.pathname + url.search)).status
  const changed = (change: (url: URL) => void): (() => Promise<number>) => {
    const url = new URL(one)
    change(url)
    return read(url)
  }
  const expires = Number(one.searchParams.get('expires'))
  const wrong: Record<string, (url: URL) => void> = {
    'without a signature': (url) => url.searchParams.delete('signature'),
    'with an empty signature': (url) => url.searchParams.set('signature', ''),
    'with a longer lifetime': (url) => url.searchParams.set('expires', String(expires + 86_400)),
    'with an unlimited lifetime': (url) => url.searchParams.set('expires', 'Infinity'),
    'that has expired': (url) => url.searchParams.set('expires', '1'),
    'as a web page': (url) => url.searchParams.set('type', 'text/html'),
    'with two signatures': (url) => url.searchParams.append('signature', 'x'),
    'with the signature of another file': (url) => {
      url.searchParams.set('signature', another.searchParams.get('signature') ?? '')
    },
    'of another file': (url) => {
      url.pathname = another.pathname
    },
    'of the file with the secret': (url) => {
      url.pathname = '/files/..%2f..%2fsecret'
    },
  }
  return [
    { what: 'a genuine URL of a file', expected: [200], send: read(one) },
    ...Object.entries(wrong).map(([what, change]) => ({
      what: `a URL of a file ${what}`,
      expected: [400, 403, 404],
      send: changed(change),
    })),
  ]
}

/** Attacks with password reset links. */
async function mailedLinks(stage: Stage): Promise<Attempt[]> {
  const owner = await stage.signUp()
  await stage.call('POST', '/api/auth/forgot_password', { body: { email: owner.email } })
  const { token } = await mailTo(stage, owner.email, 'password')
  const reset = (value: string) => async () =>
    (
      await stage.call('POST', '/api/auth/reset_password', {
        body: { token: value, password: 'a new horse battery' },
      })
    ).status
  return [
    { what: 'a made-up password link', expected: [410], send: reset(madeUp('ot')) },
    {
      what: 'a password link used to verify an address',
      expected: [401, 410],
      send: async () => (await stage.call('POST', '/api/auth/verify_email', { body: { token } })).status,
    },
    { what: 'a genuine password link', expected: [200], send: reset(token) },
    { what: 'a used password link', expected: [410], send: reset(token) },
    {
      what: 'a session older than the new password',
      expected: [401],
      send: async () => (await stage.call('GET', '/api/users/me', { token: owner.token })).status,
    },
  ]
}

async function invitations(stage: Stage, person: Person): Promise<Attempt[]> {
  const role_id = await roleOf(stage, person, 'member')
  const invite = async (): Promise<{ id: string; token: string }> => {
    const { body } = await stage.call('POST', `/api/invitations/create?org_id=${person.organizationId}`, {
      token: person.token,
      body: { email: `${crypto.randomUUID()}@example.com`, role_id },
    })
    return body
  }
  const [used, revoked] = [await invite(), await invite()]
  await stage.call('DELETE', `/api/invitations/revoke?invitation_id=${revoked.id}`, { token: person.token })
  const accept = (token: string) => async () =>
    (
      await stage.call('POST', '/api/auth/signup_invite', {
        body: { token, password: 'a guest of the house', first_name: 'G', last_name: 'H' },
      })
    ).status
  return [
    { what: 'a genuine invitation', expected: [201], send: accept(used.token) },
    { what: 'a used invitation', expected: [410], send: accept(used.token) },
    { what: 'a revoked invitation', expected: [410], send: accept(revoked.token) },
    { what: 'a made-up invitation', expected: [404], send: accept(madeUp('iv')) },
    {
      what: 'an invitation as a magic link',
      expected: [404, 410],
      send: async () => {
        const { token } = await invite()
        return (await stage.call('POST', '/api/auth/magic_link/accept', { body: { token } })).status
      },
    },
  ]
}

const madeUp = (prefix: string): string => `${prefix}_${randomBytes(32).toString('base64url')}`
