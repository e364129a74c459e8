import { allow, REDIRECT_URI, Visitor } from '#tests/support/mcp/connecting.ts'
import { type Attempts, ensure, type OAuthStage } from './oauth-stage.ts'

/** Redirect URIs that must be rejected, because a browser that opens them would expose the code. */
const UNSAFE_REDIRECTS = [
  ...['javascript:alert(1)', 'JavaScript:alert(1)', 'data:text/html,x', 'vbscript:x', 'file:///etc/passwd'],
  ...[
    'about:blank',
    'blob:https://app.example/1',
    'intent:x',
    'ms-settings:x',
    'app:/callback',
    'app://callback',
  ],
  ...[
    'http://app.example/callback',
    'http://127.0.0.2/callback',
    'http://10.0.0.1/',
    'http://localhost.evil.example/',
  ],
  ...[
    'https://user@app.example/',
    'https://user:password@app.example/',
    'https://app.example/#x',
    '',
    ' ',
    '/callback',
  ],
  ...['//app.example/', 'https://', 'https:///', 'not a URL', 'com..app:/x', '.app:/x', 'com.app.:/x'],
  ...[
    'java\nscript:alert(1)',
    'https://app.example/\r\nSet-Cookie: a=b',
    'https://app.example\\@evil.example/',
  ],
]

const DOCUMENT = { client_name: 'By address', token_endpoint_auth_method: 'none' }
const BACK = 'https://app.example/callback'

/** Attacks through client registration and through Client ID Metadata Documents. */
export async function registrations(stage: OAuthStage): Promise<Attempts> {
  const { site, deps, trap, begin } = stage
  const register = async (body: object): Promise<number> => (await deps.register(body)).status
  const inner = `http://${trap.host}/`
  const hostile = {
    redirect_uris: [BACK],
    token_endpoint_auth_method: 'none',
    client_name: `<script>alert(1)</script>\u202e\r\n${'x'.repeat(10_000)}`,
    client_uri: 'javascript:alert(1)',
    ...Object.fromEntries(
      ['logo_uri', 'policy_uri', 'tos_uri'].map((name) => [name, `${inner}"><img src=x>`]),
    ),
    ...{ jwks_uri: inner, sector_identifier_uri: inner, request_uris: [inner], initiate_login_uri: inner },
    ...{ grant_types: ['implicit', 'password', 'client_credentials'], response_types: ['token', 'id_token'] },
    ...{
      client_id: 'chosen',
      client_secret: 'chosen',
      scope: 'openid admin',
      require_pushed_authorization_requests: false,
    },
  }
  return {
    genuine: [
      {
        what: 'a genuine registration',
        expected: [201],
        send: () => register({ redirect_uris: [REDIRECT_URI] }),
      },
      ...documentsOf(stage).genuine,
    ],
    attacks: [
      ...UNSAFE_REDIRECTS.map((uri) => ({
        what: `a registration of ${JSON.stringify(uri)}`,
        expected: [400],
        send: () => register({ redirect_uris: [BACK, uri] }),
      })),
      ...[
        undefined,
        null,
        [],
        'https://app.example/',
        [1],
        [[]],
        {},
        Array(21).fill(BACK),
        [`${BACK}/${'x'.repeat(2_000)}`],
      ].map((redirect_uris) => ({
        what: `a registration of ${JSON.stringify(redirect_uris)?.slice(0, 40)}`,
        expected: [400],
        send: () => register({ redirect_uris }),
      })),
      ...['private_key_jwt', 'client_secret_jwt', 'tls_client_auth', 'None', ''].map((method) => ({
        what: `a registration with ${method}`,
        expected: [400],
        send: () => register({ redirect_uris: [BACK], token_endpoint_auth_method: method }),
      })),
      {
        what: 'a registration of 40 KiB',
        expected: [413],
        send: () => register({ redirect_uris: [BACK], client_name: 'x'.repeat(40_960) }),
      },
      {
        what: 'a registration with forbidden fields',
        expected: [201],
        async send() {
          const before = trap.connections()
          const { status, body, text } = await deps.register(hostile)
          ensure(!/chosen|implicit|password|client_credentials|"token"|admin|javascript:/.test(text), text)
          ensure(!text.includes(trap.host) && body.client_name.length <= 100, text)
          const visitor = new Visitor()
          const { location } = await visitor.visit(deps.authorizeUrl(body.client_id, { redirect_uri: BACK }))
          const page = await visitor.visit(location)
          ensure(page.status === 200 && !/<script>alert|javascript:|<img|\u202e/.test(page.text), page.text)
          await visitor.visit(`${location}/deny`, { method: 'POST', body: {} })
          ensure(trap.connections() === before, 'requested a URL of the client')
          return status
        },
      },
      ...(['GET', 'PUT', 'DELETE'] as const).map((method) => ({
        what: `${method} of the registration of another client`,
        expected: [404, 405],
        async send() {
          const clientId = await deps.registered()
          return (
            await site.call(method, `/mcp/oauth/register/${clientId}`, {
              body: method === 'PUT' ? {} : undefined,
            })
          ).status
        },
      })),
      {
        what: 'the 21st registration of a network in an hour',
        expected: [429],
        async send() {
          const headers = { 'x-forwarded-for': '203.0.113.21' }
          const body = { redirect_uris: [BACK] }
          for (let count = 1; count <= 20; count++) {
            const { status } = await site.call('POST', '/mcp/oauth/register', { body, headers })
            ensure(status === 201, `${status} for number ${count}`)
          }
          return (await site.call('POST', '/mcp/oauth/register', { body, headers })).status
        },
      },
      {
        what: 'the 51st pending request of a network',
        expected: [429],
        async send() {
          const url = deps.authorizeUrl(await deps.registered())
          const headers = { 'x-forwarded-for': '203.0.113.51' }
          const ask = async (): Promise<number> => (await new Visitor().visit(url, { headers })).status
          for (let count = 1; count <= 50; count++)
            ensure((await ask()) === 303, `refused at number ${count}`)
          return ask()
        },
      },
      ...documentsOf(stage).attacks,
      ...addressesOfDocuments(stage).map((id) => ({
        what: `a client at ${id}`,
        expected: [400],
        async send() {
          const before = trap.connections()
          const status = await begin(deps.authorizeUrl(id, { redirect_uri: BACK }))
          ensure(trap.connections() === before, 'connected')
          return status
        },
      })),
    ],
  }
}

/** URLs from which the server must not fetch a Client ID Metadata Document. */
const addressesOfDocuments = ({ trap, documents }: OAuthStage): string[] => {
  const { port, host } = new URL(documents.url)
  const inner = trap.host.split(':')[1]
  return [
    ...[`https://${trap.host}/client.json`, `https://2130706434:${inner}/c`, `https://0x7f000002:${inner}/c`],
    ...[
      `https://[::ffff:127.0.0.2]:${inner}/c`,
      `https://[::1]:${port}/c`,
      'https://10.0.0.1/c',
      'https://169.254.169.254/c',
    ],
    ...[`http://${host}/good.json`, `https://user@${host}/good.json`, `https://${host}/good.json#x`],
    ...[`https://${host}/x/../good.json`, `https://${host}/%2e%2e/good.json`, `https://${host}\\good.json`],
  ]
}

/** Attacks through Client ID Metadata Documents. The id of such a client is the URL of its document. */
function documentsOf({ deps, documents, owner, trap, begin }: OAuthStage): Attempts {
  let count = 0
  /** Publishes a document at a new URL and returns that client's id. */
  const publish = (
    say: (id: string) => unknown,
    answer: { status?: number; headers?: Record<string, string> } = {},
  ) => {
    const path = `/client-${++count}.json`
    const id = documents.url + path
    const said = say(id)
    documents.answers.set(path, { ...answer, body: typeof said === 'string' ? said : JSON.stringify(said) })
    return id
  }
  const genuine = (id: string) => ({ ...DOCUMENT, client_id: id, redirect_uris: [BACK] })
  documents.answers.set('/good.json', { body: JSON.stringify(genuine(`${documents.url}/good.json`)) })
  const wrong: Record<string, (id: string) => unknown> = {
    'of another client': () => genuine(`${documents.url}/good.json`),
    'without a client': () => ({ ...DOCUMENT, redirect_uris: [BACK] }),
    'of a client with another spelling of its id': (id) => genuine(id.replace('https', 'HTTPS')),
    'without the redirect URI': (id) => ({
      ...genuine(id),
      redirect_uris: ['https://app.example/other'],
    }),
    'with an additional unsafe redirect URI': (id) => ({
      ...genuine(id),
      redirect_uris: [BACK, 'http://app.example/'],
    }),
    'with a scheme without a dot': (id) => ({
      ...genuine(id),
      application_type: 'native',
      redirect_uris: [BACK, 'app:/x'],
    }),
    'with a secret': (id) => ({ ...genuine(id), client_secret: 'x' }),
    'with a shared secret method': (id) => ({
      ...genuine(id),
      token_endpoint_auth_method: 'client_secret_post',
    }),
    'with a script as its URL': (id) => ({ ...genuine(id), client_uri: 'javascript:alert(1)' }),
    'with keys at an internal URL': (id) => ({
      ...genuine(id),
      sector_identifier_uri: `https://${trap.host}/`,
    }),
    'that is too long': (id) => ({ ...genuine(id), client_name: 'x'.repeat(70_000) }),
    'that is a list': (id) => [genuine(id)],
    'that is not JSON': () => '<html>',
  }
  const attempt = (what: string, id: string, expected = [400]) => ({
    what: `a document ${what}`,
    expected,
    async send() {
      const before = trap.connections()
      const status = await begin(deps.authorizeUrl(id, { redirect_uri: BACK }))
      ensure(trap.connections() === before, 'connected to an internal address')
      return status
    },
  })
  const inner = { status: 302, headers: { location: `https://${trap.host}/` } }
  const good = { status: 302, headers: { location: `${documents.url}/good.json` } }
  return {
    genuine: [
      {
        what: 'a genuine document',
        expected: [200],
        async send() {
          const id = publish(genuine)
          const back = await allow(deps.authorizeUrl(id, { redirect_uri: BACK }), owner)
          const code = back.searchParams.get('code') ?? ''
          return (await deps.redeem(id, code, { redirect_uri: BACK })).status
        },
      },
    ],
    attacks: [
      ...Object.entries(wrong).map(([what, say]) => attempt(what, publish(say))),
      attempt('that does not exist', publish(genuine, { status: 404 })),
      attempt('that redirects', publish(genuine, good)),
      attempt('at an internal address', publish(genuine, inner)),
    ],
  }
}
