import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import type { OpenidFaults } from '#tests/support/forging-openid.ts'
import { type Visited, Visitor } from '#tests/support/mcp/connecting.ts'
import { OPENID_CLIENT } from '#tests/support/openid-provider.ts'
import type { Attempt } from './attempts.ts'
import { type Attempts, ensure, type OAuthStage } from './oauth-stage.ts'

/**
 * Outcomes of a sign-in: signed in, or redirected to the console's error page. Other outcomes are the status with
 * which the callback or the exchange rejects the sign-in.
 */
const [SIGNED_IN, TURNED_AWAY] = [200, 403]
const REFUSED = [400, TURNED_AWAY]

type Forge = NonNullable<OpenidFaults['forge']>

/** Attacks on sign-in through the operator's OpenID provider. */
export async function signIns(stage: OAuthStage): Promise<Attempts> {
  const { site, openid } = stage
  const newAccount = (more: JWTPayload = {}): JWTPayload => ({
    sub: crypto.randomUUID(),
    email: `${crypto.randomUUID()}@example.com`,
    email_verified: true,
    ...more,
  })

  /** Starts a sign-in in a browser, and continues until the provider redirects back. */
  async function begin(
    account = newAccount(),
    visitor = new Visitor(),
  ): Promise<{ visitor: Visitor; back: URL }> {
    openid.account = account
    const { location } = await visitor.visit(`${site.url}/api/auth/oidc/start`)
    const response = await fetch(location, { redirect: 'manual' })
    return { visitor, back: new URL(response.headers.get('location') ?? '') }
  }
  /** Returns the code in the redirect to the console, or null if the redirect contains an error. */
  function codeOf({ location }: Visited): string | null {
    const { origin, pathname, searchParams } = new URL(location)
    ensure(origin + pathname === `${site.url}/oidc`, location)
    return searchParams.get('code')
  }
  const exchange = (visitor: Visitor, code: string | null): Promise<Visited> =>
    visitor.visit(`${site.url}/api/auth/oidc/exchange`, { method: 'POST', body: { code } })
  async function finish(visitor: Visitor, back: URL): Promise<number> {
    const returned = await visitor.visit(back.href)
    if (returned.status !== 302) return returned.status
    const code = codeOf(returned)
    return code === null ? TURNED_AWAY : (await exchange(visitor, code)).status
  }

  const attempt = (what: string, send: () => Promise<number>, expected = REFUSED): Attempt => ({
    what: `a sign-in ${what}`,
    expected,
    send,
  })
  const changed = (what: string, change: (back: URL) => void | Promise<void>, expected?: number[]): Attempt =>
    attempt(
      what,
      async () => {
        const { visitor, back } = await begin()
        await change(back)
        return finish(visitor, back)
      },
      expected,
    )
  const withFaults = async (faults: OpenidFaults, account?: JWTPayload): Promise<number> => {
    Object.assign(openid.faults, faults)
    try {
      const { visitor, back } = await begin(account)
      return await finish(visitor, back)
    } finally {
      openid.faults = {}
    }
  }
  const forged = ([what, forge]: [string, Forge]): Attempt =>
    attempt(`with an ID token ${what}`, () => withFaults({ forge }))
  const userOf = async (account: JWTPayload): Promise<string> => {
    const { visitor, back } = await begin(account)
    const { text } = await exchange(visitor, codeOf(await visitor.visit(back.href)))
    return JSON.parse(text).user.id
  }

  return {
    genuine: [
      attempt('that is genuine', async () => {
        const { visitor, back } = await begin()
        return finish(visitor, back)
      }, [SIGNED_IN]),
      attempt(
        'that is genuine, with a newly signed ID token',
        () => withFaults({ forge: ({ claims, sign }) => sign(claims) }),
        [SIGNED_IN],
      ),
      attempt(
        'that is genuine, with the address at the userinfo endpoint',
        () => withFaults({ forge: ({ claims: { email, ...claims }, sign }) => sign(claims) }),
        [SIGNED_IN],
      ),
    ],
    attacks: [
      ...browsers(),
      ...Object.entries(await forgedTokens(stage)).map(forged),
      changed('with a forged state', (back) => back.searchParams.set('state', `st_${'x'.repeat(43)}`)),
      changed('with two states', (back) => back.searchParams.append('state', 'x')),
      changed('without a state', (back) => back.searchParams.delete('state')),
      changed('with a made-up code', (back) => back.searchParams.set('code', 'x')),
      changed('without a code', (back) => back.searchParams.delete('code')),
      changed('with an error beside the code', (back) => back.searchParams.set('error', 'access_denied')),
      changed('of another issuer', (back) => back.searchParams.set('iss', 'https://evil.example')),
      changed('without an issuer', (back) => back.searchParams.delete('iss')),
      changed("with a stranger's code", async (back) => {
        const theirs = await begin()
        back.searchParams.set('code', theirs.back.searchParams.get('code') ?? '')
      }),
      changed('with an ID token in the URL', (back) => {
        back.searchParams.delete('code')
        back.searchParams.set('id_token', 'x.y.z')
      }),
      changed(
        'with a foreign target after the sign-in',
        (back) => {
          for (const name of ['redirect', 'returnTo', 'redirect_uri', 'next', 'frontend_url'])
            back.searchParams.set(name, 'https://evil.example/')
        },
        [SIGNED_IN, ...REFUSED],
      ),
      attempt('with a foreign target at the start', async () => {
        const query = 'redirect_uri=https://evil.example/&returnTo=//evil.example/&state=x&client_id=y'
        const { location, status } = await new Visitor().visit(`${site.url}/api/auth/oidc/start?${query}`)
        ensure(
          location === '' || (location.startsWith(openid.issuer) && !location.includes('evil')),
          location,
        )
        return status
      }, [302, 400]),
      ...addresses(),
    ],
  }

  function browsers(): Attempt[] {
    return [
      attempt('in another browser', async () => finish(new Visitor(), (await begin()).back)),
      attempt('in a browser that started another one', async () => {
        const { back } = await begin()
        return finish((await begin()).visitor, back)
      }),
      attempt('that is completed twice', async () => {
        const { visitor, back } = await begin()
        await visitor.visit(back.href)
        return finish(visitor, back)
      }),
      attempt('whose code is exchanged by another browser', async () => {
        const { visitor, back } = await begin()
        const code = codeOf(await visitor.visit(back.href))
        const victim = await begin()
        await victim.visitor.visit(victim.back.href)
        const statuses = [await exchange(new Visitor(), code), await exchange(victim.visitor, code)]
        return Math.min(...statuses.map(({ status }) => status))
      }, [410]),
      attempt('whose code is exchanged twice', async () => {
        const { visitor, back } = await begin()
        const returned = await visitor.visit(back.href)
        const cookie = returned.headers
          .getSetCookie()
          .map((line) => line.split(';')[0])
          .join('; ')
        await exchange(visitor, codeOf(returned))
        const { status } = await site.call('POST', '/api/auth/oidc/exchange', {
          headers: { cookie },
          body: { code: codeOf(returned) },
        })
        return status
      }, [410]),
      attempt(
        'whose code is made up',
        async () => (await exchange((await begin()).visitor, `ot_${'x'.repeat(43)}`)).status,
        [410],
      ),
      attempt('whose cookie is readable by scripts, or sent by other sites', async () => {
        const { headers, status } = await new Visitor().visit(`${site.url}/api/auth/oidc/start`)
        const cookie = headers.get('set-cookie') ?? ''
        ensure(/; HttpOnly/.test(cookie) && /; SameSite=(Lax|Strict)/.test(cookie), cookie)
        return status
      }, [302]),
    ]
  }

  /** Attacks that try to take over other users' accounts through their email addresses. */
  function addresses(): Attempt[] {
    const asVictim = (what: string, more: JWTPayload): Attempt =>
      attempt(`to another user's account with ${what}`, async () => {
        const { email } = await site.signUp()
        return withFaults({}, newAccount({ email, ...more }))
      })
    const planted = (
      what: string,
      use: (person: Awaited<ReturnType<typeof site.signUp>>) => Promise<number>,
    ) =>
      attempt(`with an address that another user signed up before, then use of ${what}`, async () => {
        const attacker = await site.signUp()
        const { token, organizationId } = attacker
        const body = { name: 'planted', permissions: ['organization:read'] }
        const { body: key } = await site.call('POST', `/api/api_keys/create?org_id=${organizationId}`, {
          token,
          body,
        })
        const status = await withFaults({}, newAccount({ email: attacker.email }))
        ensure(status === SIGNED_IN, `refused: ${status}`)
        return use({ ...attacker, ...(what === 'the API key' && { token: key.key }) })
      }, [401])
    const me = async ({ token }: { token: string }): Promise<number> =>
      (await site.call('GET', '/api/users/me', { token })).status
    return [
      asVictim('an unverified address', { email_verified: false }),
      asVictim('an address without a verification claim', { email_verified: undefined }),
      asVictim('"true" instead of true', { email_verified: 'true' }),
      asVictim('1 instead of true', { email_verified: 1 }),
      attempt('without an address', () => withFaults({}, newAccount({ email: undefined }))),
      attempt("with another user's userinfo", () =>
        withFaults({
          forge: ({ claims: { email, ...claims }, sign }) => sign(claims),
          changeUserinfo: (claims) => ({ ...claims, sub: 'somebody-else' }),
        }),
      ),
      attempt('with a known identity, and the address of another account', async () => {
        const known = newAccount()
        const [own, victim] = [await userOf(known), await site.signUp()]
        const entered = await userOf({ ...known, email: victim.email })
        ensure(entered === own, `signed in as ${entered}`)
        return SIGNED_IN
      }, [SIGNED_IN]),
      planted('the session', me),
      planted('the API key', me),
      planted(
        'the password',
        async ({ email, password }) =>
          (await site.call('POST', '/api/auth/login', { body: { email, password } })).status,
      ),
    ]
  }
}

/** Returns ID tokens with one fault each. The keys describe the faults. */
async function forgedTokens({ openid }: OAuthStage): Promise<Record<string, Forge>> {
  const { publicKey, privateKey } = await generateKeyPair('RS256')
  const jwk = await exportJWK(publicKey)
  const secret = new TextEncoder().encode(OPENID_CLIENT.secret)
  const now = (): number => Math.floor(Date.now() / 1_000)
  const withOtherKey =
    (header: Record<string, unknown>): Forge =>
    ({ claims }) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', ...header }).sign(privateKey)
  const withClaims =
    (change: Record<string, unknown>): Forge =>
    ({ claims, sign }) =>
      sign({ ...claims, ...change })
  return {
    'without a signature': async ({ claims }) => new UnsecuredJWT(claims).encode(),
    'with a truncated signature': async ({ claims, sign }) => (await sign(claims)).replace(/[^.]+$/, ''),
    'with changed claims': async ({ claims, sign }) => {
      const [header, , signature] = (await sign(claims)).split('.')
      const other = Buffer.from(JSON.stringify({ ...claims, sub: 'another' })).toString('base64url')
      return `${header}.${other}.${signature}`
    },
    'with another key': withOtherKey({ kid: 'genuine' }),
    'with another key and its id, which is unknown': withOtherKey({ kid: 'unknown' }),
    'with another key, without its id': withOtherKey({}),
    'with a key in its header': withOtherKey({ jwk }),
    'with a key at a URL in its header': withOtherKey({ jku: 'https://evil.example/jwks', kid: 'unknown' }),
    'signed with the client secret': ({ claims }) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(secret),
    'with another algorithm in its header': async ({ claims, sign }) => {
      const [, payload, signature] = (await sign(claims)).split('.')
      return `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.${signature}`
    },
    'of another issuer': withClaims({ iss: 'https://evil.example' }),
    'of an issuer with a slash': withClaims({ iss: `${openid.issuer}/` }),
    'without an issuer': withClaims({ iss: undefined }),
    'for another client': withClaims({ aud: 'another' }),
    'for several clients, without this one': withClaims({ aud: ['another', 'one more'] }),
    'for several clients, of which another was authorized': withClaims({
      aud: [OPENID_CLIENT.id, 'another'],
      azp: 'another',
    }),
    'for several clients, none of which was authorized': withClaims({ aud: [OPENID_CLIENT.id, 'another'] }),
    'for this client, but another one was authorized': withClaims({ azp: 'another' }),
    'without an audience': withClaims({ aud: undefined }),
    'that has expired': withClaims({ iat: now() - 7_200, exp: now() - 3_600 }),
    'without an expiry': withClaims({ exp: undefined }),
    'that is not valid yet': withClaims({ nbf: now() + 3_600 }),
    'without its time': withClaims({ iat: undefined }),
    'with another nonce': withClaims({ nonce: 'another' }),
    'without a nonce': withClaims({ nonce: undefined }),
    'without a subject': withClaims({ sub: undefined }),
    'with an empty subject': withClaims({ sub: '' }),
    'that is not a token': async () => 'x',
    'that is missing': async () => null,
  }
}
