import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Person } from '#tests/support/client.ts'
import { addApp } from '#tests/support/factors.ts'
import { mailTo } from '#tests/support/mail.ts'
import { OpenidBrowser } from '#tests/support/openid-browser.ts'
import { roleOf } from '#tests/support/tenants.ts'
import type { Target } from './secret-target.ts'

const POLL_MS = 20

/**
 * Uses the secrets of all ways to sign in: passwords, sessions, emailed links, a second factor and an OpenID
 * provider.
 */
export async function tryAccounts(target: Target): Promise<void> {
  await signInAndOut(target)
  await tryMailedLinks(target)
  await trySecondFactor(target)
  await tryOpenid(target)
}

export async function signUpPlanted({ stage, plants }: Pick<Target, 'stage' | 'plants'>): Promise<Person> {
  const password = plants.plant('password', 'é"\\/+ ')
  const email = `${randomUUID()}@example.com`
  const { body, text } = await stage.call('POST', '/api/auth/signup', {
    body: { email, password, first_name: 'Ada', last_name: 'Lovelace' },
    headers: { 'idempotency-key': plants.plant('Idempotency-Key') },
  })
  if (body?.user === undefined) throw new Error(text)
  return {
    userId: body.user.id,
    email,
    password,
    token: plants.keep('access token', body.access_token),
    refreshToken: plants.keep('refresh token', body.refresh_token),
    organizationId: body.user.organizations[0].id,
  }
}

async function signInAndOut(target: Target): Promise<void> {
  const { stage, plants } = target
  const person = await signUpPlanted(target)
  const { email, password, token } = person
  await stage.call('POST', '/api/auth/login', { body: { email, password: plants.plant('password') } })
  await stage.call('POST', '/api/auth/login', { body: { email: plants.plant('password'), password } })
  const again = await stage.call('POST', '/api/auth/login', { body: { email, password } })
  plants.keep('access token', again.body.access_token)
  const refreshToken = plants.keep('refresh token', again.body.refresh_token)
  const refreshed = await stage.call('POST', '/api/auth/refresh', { body: { refresh_token: refreshToken } })
  plants.keep('access token', refreshed.body.access_token)
  plants.keep('refresh token', refreshed.body.refresh_token)
  await tryCookie(target, person)
  const changed = plants.plant('password')
  await stage.call('PUT', '/api/users/me', {
    token,
    body: { password: changed, current_password: plants.plant('password') },
  })
  await stage.call('PUT', '/api/users/me', { token, body: { password: changed, current_password: password } })
  await stage.call('POST', '/api/auth/logout', { body: { refresh_token: refreshed.body.refresh_token } })
  for (const header of [
    `Bearer ${plants.plant('made-up token', 'eyJ.')}`,
    `Basic ${btoa(password.slice(6))}`,
  ])
    await stage.call('GET', '/api/users/me', { headers: { authorization: header } })
}

/** Signs in as a browser does, with the refresh token in a cookie. */
async function tryCookie({ stage, plants }: Target, { email, password }: Person): Promise<void> {
  const own = { 'sec-fetch-site': 'same-origin' }
  const signedIn = await stage.call('POST', '/api/auth/login', {
    body: { email, password, session: 'cookie' },
    headers: own,
  })
  plants.keep('access token', signedIn.body.access_token)
  const [line = ''] = signedIn.headers.getSetCookie()
  const [cookie = ''] = line.split(';')
  plants.keep('refresh token', cookie.split('=')[1])
  const refreshed = await stage.call('POST', '/api/auth/refresh', { body: {}, headers: { ...own, cookie } })
  plants.keep('access token', refreshed.body.access_token)
  const [next = ''] = refreshed.headers.getSetCookie()
  plants.keep('refresh token', next.split(';')[0]?.split('=')[1])
  await stage.call('POST', '/api/auth/refresh', {
    body: {},
    headers: { cookie, origin: 'https://evil.example' },
  })
}

/** Verifies the owner's email address, which grants credits. */
export async function confirmOwner({ stage, plants, mail, owner }: Target): Promise<void> {
  const confirmation = await mailTo(mail, owner.email, 'email address')
  const token = plants.keep('mailed token', confirmation.token)
  await stage.call('POST', '/api/auth/reset_password', {
    body: { token, password: plants.plant('password') },
  })
  await stage.call('POST', '/api/auth/verify_email', { token: owner.token, body: { token } })
}

async function tryMailedLinks(target: Target): Promise<void> {
  const { stage, plants, mail } = target
  const forgetful = await signUpPlanted(target)
  // The SMTP server rejects the email once, so the email waits in a job with an error message.
  mail.refuse = 1
  await stage.call('POST', '/api/auth/forgot_password', { body: { email: forgetful.email } })
  while (mail.refuse > 0) await sleep(POLL_MS)
  const other = await signUpPlanted(target)
  await stage.call('POST', '/api/auth/forgot_password', { body: { email: other.email } })
  const reset = plants.keep('mailed token', (await mailTo(mail, other.email, 'password')).token)
  const body = { token: reset, password: plants.plant('password') }
  await stage.call('POST', '/api/auth/reset_password', {
    body: { ...body, [plants.plant('misplaced name')]: 1 },
  })
  await stage.call('POST', '/api/auth/reset_password', { body })
  await stage.call('POST', '/api/auth/reset_password', { body })
  await invite(target)
}

async function invite({ stage, plants, mail, owner }: Target): Promise<void> {
  const role_id = await roleOf(stage, owner, 'member')
  const org = `org_id=${owner.organizationId}`
  const asOwner = { token: owner.token }
  const email = `${randomUUID()}@example.com`
  const invited = await stage.call('POST', `/api/invitations/create?${org}`, {
    ...asOwner,
    body: { email, role_id },
  })
  const token = plants.keep(
    'invitation token',
    invited.body.token ?? (await mailTo(mail, email, 'invites')).token,
  )
  await stage.call('GET', `/api/invitations/validate?token=${token}`)
  const accepted = await stage.call('POST', '/api/auth/signup_invite', {
    body: { token, password: plants.plant('password'), first_name: 'G', last_name: 'H' },
  })
  plants.keep('access token', accepted.body.access_token)
  plants.keep('refresh token', accepted.body.refresh_token)
  const added = `${randomUUID()}@example.com`
  await stage.call('POST', `/api/users/invite?${org}`, {
    ...asOwner,
    body: { email: added, first_name: 'A', last_name: 'B', role: role_id },
  })
  const magic = plants.keep('mailed token', (await mailTo(mail, added, 'created a Parley account')).token)
  const linked = await stage.call('POST', '/api/auth/magic_link/accept', { body: { token: magic } })
  plants.keep('access token', linked.body.access_token)
  plants.keep('refresh token', linked.body.refresh_token)
  await stage.call('POST', '/api/auth/magic_link/accept', { body: { token: magic } })
  const stranger = await signUpPlanted({ stage, plants })
  await stage.call('POST', '/api/org/add_member', {
    ...asOwner,
    body: { organization_id: owner.organizationId, user_id: stranger.userId, role_id },
  })
  const leave = plants.keep('mailed token', (await mailTo(mail, stranger.email, 'added you')).token)
  await stage.call('GET', `/api/org/get_leave_link?token=${leave}`)
  await stage.call('POST', '/api/org/leave_by_link', { body: { token: leave } })
}

/** Adds an authenticator app, and signs in with a recovery code. */
async function trySecondFactor({ stage, plants, owner }: Target): Promise<void> {
  const proof = { password: owner.password }
  const begun = await stage.call('POST', '/api/auth/totp/begin', { token: owner.token, body: { proof } })
  plants.keep('TOTP secret', begun.body.secret)
  const { recoveryCodes } = await addApp({ ...stage, call: keepSecrets }, owner)
  for (const code of recoveryCodes) plants.keep('recovery code', code)
  const { email, password } = owner
  const signedIn = await stage.call('POST', '/api/auth/login', { body: { email, password } })
  const challenge = plants.keep('challenge', signedIn.body.challenge)
  const answer = (body: object) =>
    stage.call('POST', '/api/auth/verify_second_factor', { body: { challenge, ...body } })
  await answer({ recovery_code: plants.plant('misplaced value') })
  await answer({ code: recoveryCodes[0] })
  const entered = await answer({ recovery_code: recoveryCodes[0] })
  plants.keep('access token', entered.body.access_token)
  plants.keep('refresh token', entered.body.refresh_token)

  async function keepSecrets(...call: Parameters<typeof stage.call>) {
    const given = await stage.call(...call)
    if (given.body?.secret !== undefined) plants.keep('TOTP secret', given.body.secret)
    return given
  }
}

async function tryOpenid({ stage, plants, openid }: Target): Promise<void> {
  openid.account = { id: randomUUID(), email: `${randomUUID()}@example.com`, email_verified: true }
  const browser = new OpenidBrowser()
  const back = await browser.open(`${stage.url}/api/auth/oidc/start`)
  const code = plants.keep('OIDC code', back.searchParams.get('code'))
  await stage.call('POST', '/api/auth/oidc/exchange', { body: { code } })
  const { body } = await browser.exchange(stage.url, back)
  plants.keep('access token', body.access_token)
  plants.keep('refresh token', body.refresh_token)
  await browser.exchange(stage.url, back)
  const state = plants.plant('misplaced value')
  const refused = plants.plant('misplaced value')
  await stage.call('GET', `/api/auth/oidc/callback?state=${state}&code=${refused}`)
  await stage.call('GET', `/api/auth/oidc/callback?state=${state}&error=denied&error_description=${refused}`)
}
