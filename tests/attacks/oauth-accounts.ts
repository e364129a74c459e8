import type { Answer, Person } from '#tests/support/client.ts'
import type { AuthorizedMcpServer } from '#tests/support/mcp/authorized-server.ts'
import { type Connecting, connectorOf, type Returned } from '#tests/support/mcp/connector.ts'
import type { Attempt } from './attempts.ts'
import { type Attempts, ensure, type OAuthStage } from './oauth-stage.ts'

/** An attempt to connect an account. The user has already consented at the provider. */
interface Begun {
  browser: Connecting
  instanceId: string
  asked: Answer
  /** The callback URL to which the provider redirects the browser. */
  back: URL
}

/** Attacks on the callback of connect_account, and hostile responses of a third-party authorization server. */
export async function accounts(stage: OAuthStage): Promise<Attempts> {
  const { site, deps, owner, stranger, providers, trap } = stage
  const [provider, other] = providers
  const ids = new Map<AuthorizedMcpServer, string>()
  for (const one of providers) ids.set(one, await addServer(one.url))
  const serverIdOf = (one: AuthorizedMcpServer): string => ids.get(one) ?? ''

  async function addServer(url: string): Promise<string> {
    const { body } = await site.call('POST', '/api/mcp/servers', {
      token: site.administrator,
      body: {
        ...{
          name: 'Server',
          toolkit_name: 'Server',
          toolkit_slug: crypto.randomUUID(),
          description: '',
          url,
        },
        auth_config: { type: 'oauth' },
      },
    })
    return body.id
  }

  async function begin(person: Person = owner, at = provider, says: 'yes' | 'no' = 'yes'): Promise<Begun> {
    const browser = connectorOf(site, person)
    const asked = await browser.ask(serverIdOf(at))
    ensure(asked.status === 201, asked.text)
    const back = new URL(await at.consent(asked.body.redirect_url, says))
    return { browser, instanceId: asked.body.connectionData.mcp_session_id, asked, back }
  }

  /** Returns 200 if the account is connected, or else the status of the browser's last response. */
  async function outcomeOf({ browser, instanceId }: Begun, { status }: { status: number }): Promise<number> {
    const { body } = await browser.list()
    const instance = body.find(({ id }: { id: string }) => id === instanceId)
    if (instance !== undefined) await browser.remove(instanceId)
    return instance?.status === 'active' ? 200 : status
  }

  /**
   * The browser that started the attempt opens a changed callback URL. Status 302 redirects it to the console, with
   * the reason for the failure.
   */
  const changed = (
    what: string,
    change: (back: URL, begun: Begun) => void | Promise<void>,
    expected = [302, 400],
  ): Attempt => ({
    what: `a callback ${what}`,
    expected,
    async send() {
      const begun = await begin()
      await change(begun.back, begun)
      return outcomeOf(begun, await begun.browser.comeBack(begun.back.href))
    },
  })

  const post = (path: string, token: string, ticket: string): Promise<Answer> =>
    site.call('POST', `/api/mcp/${path}`, { token, body: { ticket } })
  /**
   * Another browser opens the callback URL. A caller with the token of `tokenOf` then confirms the connection with
   * the ticket.
   */
  const confirmed = (what: string, tokenOf: () => Promise<string> | string, expected: number[]): Attempt => ({
    what,
    expected,
    async send() {
      const begun = await begin()
      const { location } = await begun.browser.comeBackElsewhere(begun.back.href)
      const answer = await post('confirm_connection', await tokenOf(), location.hash.slice(1))
      return outcomeOf(begun, answer)
    },
  })
  const keyOf = async ({ organizationId, token }: Person): Promise<string> => {
    const body = { name: 'for MCP', permissions: ['*:*'] }
    return (await site.call('POST', `/api/api_keys/create?org_id=${organizationId}`, { token, body })).body
      .key
  }

  return {
    genuine: [
      {
        what: 'a genuine connection, whose secrets are in no response',
        expected: [200],
        async send() {
          const begun = await begin()
          const returned = await begun.browser.comeBack(begun.back.href)
          await ensureNothingLeaks(begun, returned)
          return outcomeOf(begun, returned)
        },
      },
      confirmed('a genuine connection confirmed by its user', () => owner.token, [200]),
    ],
    attacks: [
      ...bindings(),
      confirmed('a connection confirmed by a stranger', () => stranger.token, [403]),
      confirmed('a connection confirmed without a session', () => '', [401]),
      confirmed('a connection confirmed by an API key', () => keyOf(owner), [403]),
      {
        what: 'a used ticket',
        expected: [404],
        async send() {
          const begun = await begin()
          const { location } = await begun.browser.comeBackElsewhere(begun.back.href)
          const ticket = location.hash.slice(1)
          ensure(
            (await post('confirm_connection', owner.token, ticket)).status === 200,
            'refused the first time',
          )
          const { status } = await post('confirm_connection', owner.token, ticket)
          await begun.browser.remove(begun.instanceId)
          return status
        },
      },
      changed('with a forged state', (back) => back.searchParams.set('state', `ms_${'x'.repeat(43)}`)),
      changed('with a longer state', (back) => back.searchParams.append('state', 'x')),
      changed('with a wildcard for a state', (back) => back.searchParams.set('state', '%')),
      changed('with an empty state', (back) => back.searchParams.set('state', '')),
      changed('without a state', (back) => back.searchParams.delete('state')),
      changed('without a code', (back) => back.searchParams.delete('code')),
      changed('with another code', (back) => back.searchParams.set('code', 'code-x')),
      changed('with two codes', (back) => back.searchParams.append('code', 'code-x')),
      changed('with an error beside the code', (back) => back.searchParams.set('error', 'access_denied')),
      changed('of another issuer', (back) => back.searchParams.set('iss', other.issuer)),
      changed('without an issuer', (back) => back.searchParams.delete('iss')),
      changed('of an issuer with a slash', (back) => back.searchParams.set('iss', `${provider.issuer}/`)),
      changed("with a stranger's instance", async (back) => {
        const theirs = await begin(stranger)
        back.searchParams.set('mcp_session_id', theirs.instanceId)
        await theirs.browser.remove(theirs.instanceId)
      }),
      changed('with another server', (back) => back.searchParams.set('mcp_server_id', serverIdOf(other))),
      changed("with the code of a stranger's account", async (back) => {
        const theirs = await begin(stranger)
        back.searchParams.set('code', theirs.back.searchParams.get('code') ?? '')
        await theirs.browser.remove(theirs.instanceId)
      }),
      changed('with the code of another authorization server', async (back) => {
        const theirs = await begin(owner, other)
        back.searchParams.set('code', theirs.back.searchParams.get('code') ?? '')
        await theirs.browser.remove(theirs.instanceId)
      }),
      {
        what: 'a code of another authorization server than the one the browser was sent to (mix-up)',
        expected: [302],
        async send() {
          const [honest, hostile] = [await begin(owner, provider), await begin(owner, other)]
          const code = honest.back.searchParams.get('code') ?? ''
          // The hostile authorization server redirects the browser to the honest server's callback URL, but with the
          // state of the hostile attempt.
          honest.back.searchParams.set('state', hostile.back.searchParams.get('state') ?? '')
          const returned = await hostile.browser.comeBack(honest.back.href)
          await honest.browser.remove(honest.instanceId)
          ensure(!JSON.stringify(other.asked).includes(code), 'the code was sent to the other server')
          return outcomeOf(hostile, returned)
        },
      },
      {
        what: 'a refusal at the provider',
        expected: [302],
        async send() {
          const begun = await begin(owner, provider, 'no')
          const returned = await begun.browser.comeBack(begun.back.href)
          ensure(returned.location.origin === site.url, returned.location.href)
          return outcomeOf(begun, returned)
        },
      },
      {
        what: "a token of /mcp at the gateway of its user's connection, without a signature",
        expected: [401, 403, 404],
        async send() {
          const begun = await begin()
          ensure((await begun.browser.comeBack(begun.back.href)).status === 302, 'not connected')
          const { clientId, code } = await deps.withCode()
          const { access_token: token } = await deps.redeem(clientId, code)
          const path = `/api/mcp/gateway/${begun.instanceId}`
          const body = { jsonrpc: '2.0', id: 1, method: 'ping' }
          const { status } = await site.call('POST', path, { token, body })
          await begun.browser.remove(begun.instanceId)
          return status
        },
      },
      ...hostileAnswers(),
    ],
  }

  /**
   * A browser that didn't start the attempt opens the callback URL. Status 303 redirects it to the page where the
   * user who started the attempt must confirm.
   */
  function bindings(): Attempt[] {
    const inBrowser = (what: string, cookieOf: (begun: Begun) => Promise<string>): Attempt => ({
      what: `a callback in ${what}`,
      expected: [303],
      async send() {
        const begun = await begin()
        return outcomeOf(begun, await begun.browser.comeBackElsewhere(begun.back.href, await cookieOf(begun)))
      },
    })
    const nameOf = ({ browser }: Begun): string => browser.cookies().split('=')[0] ?? ''
    const cookieOfStranger = async (): Promise<string> => {
      const theirs = await begin(stranger)
      await theirs.browser.remove(theirs.instanceId)
      return theirs.browser.cookies()
    }
    return [
      inBrowser('another browser', async () => ''),
      inBrowser("a stranger's browser that also connects an account", cookieOfStranger),
      inBrowser(
        "a stranger's browser with a renamed cookie",
        async (begun) => `${nameOf(begun)}=${(await cookieOfStranger()).split('=')[1]}`,
      ),
      inBrowser('a browser with an empty cookie', async (begun) => `${nameOf(begun)}=`),
      inBrowser('a browser with a forged cookie', async (begun) => `${nameOf(begun)}=ac_${'x'.repeat(43)}`),
      {
        what: 'a callback after the session has ended',
        expected: [303],
        async send() {
          const { email, password } = owner
          const { body } = await site.call('POST', '/api/auth/login', { body: { email, password } })
          const begun = await begin({ ...owner, token: body.access_token })
          await site.call('POST', '/api/auth/logout', { body: { refresh_token: body.refresh_token } })
          const returned = await begun.browser.comeBack(begun.back.href)
          return outcomeOf({ ...begun, browser: connectorOf(site, owner) }, returned)
        },
      },
      {
        what: 'a used state',
        expected: [400],
        async send() {
          const begun = await begin()
          const cookies = begun.browser.cookies()
          await begun.browser.comeBack(begun.back.href)
          const { status } = await begun.browser.comeBackElsewhere(begun.back.href, cookies)
          await begun.browser.remove(begun.instanceId)
          return status
        },
      },
      {
        what: 'a state that another browser has returned with',
        expected: [400],
        async send() {
          const begun = await begin()
          await begun.browser.comeBackElsewhere(begun.back.href)
          return outcomeOf(begun, await begun.browser.comeBack(begun.back.href))
        },
      },
    ]
  }

  /** Attacks with hostile metadata and responses of an authorization server. */
  function hostileAnswers(): Attempt[] {
    const inner = `http://${trap.host}`
    const metadata: Record<string, Record<string, unknown>> = {
      'an internal token endpoint': { token_endpoint: `${inner}/token` },
      'an internal registration endpoint': { registration_endpoint: `${inner}/register` },
      'an internal authorization endpoint': { authorization_endpoint: `${inner}/authorize` },
      'an internal revocation endpoint': { revocation_endpoint: `${inner}/revoke` },
      'a token endpoint at a metadata service': { token_endpoint: 'http://169.254.169.254/token' },
      'a token endpoint with a file URL': { token_endpoint: 'file:///etc/passwd' },
      'a script as the authorization endpoint': { authorization_endpoint: 'javascript:alert(1)//' },
      'an authorization endpoint with a quote': { authorization_endpoint: `${provider.issuer}/a"b` },
      'another issuer': { issuer: provider.issuer },
      'no PKCE': { code_challenge_methods_supported: ['plain'] },
      'no codes': { response_types_supported: ['token'] },
    }
    const resources: Record<string, Record<string, unknown>> = {
      'an internal authorization server': { authorization_servers: [inner] },
      'the resource of another server': { resource: provider.url },
      'an internal resource': { resource: `${inner}/mcp` },
    }
    const hostileAnswer = (what: string, faults: AuthorizedMcpServer['faults']): Attempt => ({
      what: `a server with ${what}`,
      expected: [500],
      async send() {
        const before = trap.connections()
        Object.assign(other.faults, faults)
        const browser = connectorOf(site, owner)
        const { status, body } = await browser.ask(serverIdOf(other))
        for (const name of Object.keys(faults)) delete other.faults[name as keyof typeof faults]
        if (status === 201) await browser.remove(body.connectionData.mcp_session_id)
        ensure(trap.connections() === before, 'connected')
        return status
      },
    })
    const tokens: Record<string, Record<string, unknown>> = {
      'of another type': { token_type: 'mac' },
      'with a line break': { access_token: 'a\r\nX-Injected: b' },
      'with a space': { access_token: 'a b' },
      'that is empty': { access_token: '' },
      'that is a list': { access_token: ['a'] },
    }
    return [
      ...Object.entries(metadata).map(([what, change]) =>
        hostileAnswer(what, { changeMetadata: (said) => ({ ...said, ...change }) }),
      ),
      ...Object.entries(resources).map(([what, change]) =>
        hostileAnswer(what, { changeResource: (said) => ({ ...said, ...change }) }),
      ),
      ...Object.entries(tokens).map(
        ([what, change]): Attempt => ({
          what: `a token ${what}`,
          expected: [302],
          async send() {
            const begun = await begin()
            provider.faults.changeTokens = (said) => ({ ...said, ...change })
            const returned = await begun.browser.comeBack(begun.back.href)
            delete provider.faults.changeTokens
            return outcomeOf(begun, returned)
          },
        }),
      ),
      ...(['echo', 'echoPlain'] as const).map((fault) => ({
        what: `a token endpoint that repeats the request (${fault})`,
        expected: [302],
        async send() {
          const begun = await begin()
          provider.faults[fault] = true
          const returned = await begun.browser.comeBack(begun.back.href)
          delete provider.faults[fault]
          await ensureNothingLeaks(begun, returned)
          return outcomeOf(begun, returned)
        },
      })),
    ]
  }

  /**
   * Checks that the browser receives no code, verifier, token or client secret from the server, and that no Referer
   * header can contain a URL with a state.
   */
  async function ensureNothingLeaks(
    { browser, asked, back, instanceId }: Begun,
    returned: Returned,
  ): Promise<void> {
    const body = { server_id: serverIdOf(provider), session_id: instanceId }
    const { token } = owner
    const shown = [
      returned.location.href,
      returned.text,
      returned.headers.get('set-cookie'),
      (await browser.list()).text,
      (await site.call('POST', '/api/mcp/generate_url', { token, body })).text,
    ].join('\n')
    const secrets = [
      back.searchParams.get('code') ?? '',
      back.searchParams.get('state') ?? '',
      provider.asked.findLast(({ endpoint }) => endpoint === 'token')?.parameters['code_verifier'] ?? '',
    ]
    for (const secret of secrets) ensure(secret.length > 20 && !shown.includes(secret), `shown: ${secret}`)
    const more = /(access|refresh|client-secret)-[\w-]{20,}/.exec(shown + asked.text)
    ensure(more === null, `shown: ${more?.[0]}`)
    ensure(returned.headers.get('referrer-policy') === 'no-referrer', 'a Referer contains the URL')
    ensure(returned.headers.get('cache-control') === 'no-store', 'the response can be cached')
  }
}
