import { allow, Visitor } from '#tests/support/mcp/connecting.ts'
import { type Attempts, ensure, type OAuthStage } from './oauth-stage.ts'

const WEB = 'https://app.example/callback'
const NATIVE = 'http://127.0.0.1:8912/callback'
const PRIVATE_USE = 'com.example.app:/callback'

/**
 * Redirect URIs that are similar to registered URIs. According to RFC 8252, 7.3, only the port of a loopback URI may
 * differ from the registered URI.
 */
const UNREGISTERED = [
  ...[`${WEB}/`, `${WEB}/x`, `${WEB}/../other`, `${WEB}/..%2fother`, `${WEB}%2f`, `${WEB};x`, `${WEB}?x=1`],
  ...[`${WEB}?`, `${WEB}#x`, `${WEB}#`, `${WEB}%00`, `${WEB}\0`, `${WEB}\r\nSet-Cookie: a=b`, ` ${WEB}`],
  ...[
    `${WEB}%0d%0aSet-Cookie:a=b`,
    `${WEB}\t`,
    'https://app.example/Callback',
    'https://app.example/call%62ack',
  ],
  ...['https://app.example/', 'https://app.example', 'https://app.example//callback'],
  ...['https://user@app.example/callback', 'https://app.example:444/callback', 'http://app.example/callback'],
  ...['https://app.example:443/callback', 'https://APP.EXAMPLE/callback', 'HTTPS://app.example/callback'],
  ...['https://app.example./callback', 'https://app.example.evil.example/callback'],
  ...['https://evil.example/callback', 'https://evil.example/?https://app.example/callback'],
  ...['https://app.example@evil.example/callback', 'https://app.example%2f@evil.example/callback'],
  ...['https://app.example\\@evil.example/callback', 'https://evil.example\\.app.example/callback'],
  ...[
    'https://evil.example%00.app.example/callback',
    'https:app.example/callback',
    'https:/app.example/callback',
  ],
  ...['//app.example/callback', '/callback', 'callback', '', 'null', '*', 'https://*.example/callback'],
  ...[
    'javascript:alert(1)//https://app.example/callback',
    'data:text/html,x',
    'file:///callback',
    'about:blank',
  ],
  ...['app:/callback', 'com.example.app:/other', 'com.example.app://callback', 'com.example.other:/callback'],
  ...['COM.EXAMPLE.APP:/callback', `${PRIVATE_USE}?x=1`, `${PRIVATE_USE}#x`],
  ...['http://127.0.0.1:8912/other', 'http://127.0.0.1:8912/callback/', 'http://127.0.0.1:8912/callback?x=1'],
  ...['http://localhost:8912/callback', 'http://[::1]:8912/callback', 'http://127.0.0.2:8912/callback'],
  ...['http://127.1:8912/callback', 'http://2130706433:8912/callback', 'https://127.0.0.1:8912/callback'],
  ...['http://127.0.0.1.evil.example:8912/callback', 'http://127.0.0.1:8912@evil.example/callback'],
  ...['http://127.0.0.1:8912.evil.example/callback', 'http://user@127.0.0.1:8912/callback'],
]

/** Authorization requests with forbidden or missing parameters. */
const WRONG: Record<string, Record<string, string | undefined>> = {
  'without PKCE': { code_challenge: undefined, code_challenge_method: undefined },
  'with a method and no challenge': { code_challenge: undefined },
  'with a challenge and no method': { code_challenge_method: undefined },
  'with a plain challenge': { code_challenge_method: 'plain' },
  'with another method': { code_challenge_method: 's256' },
  'with an empty challenge': { code_challenge: '' },
  'with a short challenge': { code_challenge: 'x' },
  'with a challenge of other characters': { code_challenge: `${'x'.repeat(42)}=` },
  'without a response type': { response_type: undefined },
  ...Object.fromEntries(
    ['token', 'id_token', 'code token', 'code id_token', 'id_token token', 'none', 'CODE', ''].map((type) => [
      `of type "${type}"`,
      { response_type: type },
    ]),
  ),
  'without a client': { client_id: undefined },
  'of an unknown client': { client_id: 'nobody' },
  'of a client with a wildcard': { client_id: '%' },
  'without a redirect URI, of a client with several': { redirect_uri: undefined },
  'for another resource': { resource: 'https://elsewhere.example/mcp' },
  'for a resource that is not a URL': { resource: 'mcp' },
  'with prompt=none': { prompt: 'none' },
  'with prompt=none and no PKCE': { prompt: 'none', code_challenge: undefined },
  'with prompt=none consent': { prompt: 'none consent' },
  'with an unknown prompt': { prompt: 'create' },
}

/** Attacks on authorization requests through wrong redirect URIs and through missing or repeated parameters. */
export async function authorizationRequests(stage: OAuthStage): Promise<Attempts> {
  const { site, elsewhere, deps, owner, trap, begin } = stage
  const client = await deps.registered({ redirect_uris: [WEB, NATIVE, PRIVATE_USE] })
  const web = await deps.registered({ redirect_uris: [WEB, 'https://app.example/back?tenant=1'] })
  const ask = (more: Record<string, string | undefined>, clientId = client) =>
    begin(deps.authorizeUrl(clientId, { redirect_uri: WEB, ...more }))
  /** Sends an authorization request that contains a parameter twice. */
  const askTwice = (name: string, value: string) =>
    begin(`${deps.authorizeUrl(client, { redirect_uri: WEB })}&${new URLSearchParams({ [name]: value })}`)
  const state = `"'><script>alert(1)</script>&code=x&iss=y#z\r\nSet-Cookie: a=b`
  const resources = {
    'our API': site.url,
    'another path of this server': `${site.url}/mcp/`,
    'the gateway': `${site.url}/api/mcp/gateway`,
    'another installation': `${elsewhere.url}/mcp`,
    'a fragment of the URL': `${site.url}/mcp#x`,
  }
  return {
    genuine: [
      ...[WEB, NATIVE, PRIVATE_USE, 'http://127.0.0.1:51234/callback', 'http://127.0.0.1/callback'].map(
        (uri) => ({
          what: `a genuine request with the redirect URI ${uri}`,
          expected: [303],
          send: () => ask({ redirect_uri: uri }),
        }),
      ),
      {
        what: 'the state is returned unchanged',
        expected: [200],
        async send() {
          const redirect_uri = 'https://app.example/back?tenant=1'
          const back = await allow(deps.authorizeUrl(web, { redirect_uri, state }), owner)
          const names = [...back.searchParams.keys()].sort().join(' ')
          ensure(back.href.startsWith(`${redirect_uri}&`) && back.hash === '', back.href)
          ensure(names === 'code iss state tenant', names)
          ensure(back.searchParams.get('state') === state, back.searchParams.get('state'))
          ensure(back.searchParams.get('iss') === site.url, back.searchParams.get('iss'))
          return 200
        },
      },
    ],
    attacks: [
      ...UNREGISTERED.flatMap((uri) => [
        {
          what: `a redirect to ${JSON.stringify(uri)}`,
          expected: [400],
          send: () => ask({ redirect_uri: uri }),
        },
        {
          what: `a redirect to ${JSON.stringify(uri)} with prompt=none`,
          expected: [400],
          send: () => ask({ redirect_uri: uri, prompt: 'none' }),
        },
      ]),
      {
        what: 'another port of an https redirect URI',
        expected: [400],
        send: () => ask({ redirect_uri: 'https://app.example:8443/callback' }, web),
      },
      ...Object.entries(WRONG).map(([what, more]) => ({
        what: `a request ${what}`,
        expected: [400],
        send: () => ask(more),
      })),
      ...Object.entries(resources).map(([what, resource]) => ({
        what: `a token for ${what}`,
        expected: [400],
        send: () => ask({ resource }),
      })),
      ...Object.entries({
        redirect_uri: 'https://evil.example/',
        client_id: web,
        response_type: 'token',
        code_challenge_method: 'plain',
        state: 'another',
        resource: site.url,
      }).map(([name, value]) => ({
        what: `a second ${name}`,
        expected: [400],
        send: () => askTwice(name, value),
      })),
      {
        what: 'parameters after a redirect URI, in a request object and of a login',
        expected: [303],
        async send() {
          const before = trap.connections()
          const more = {
            request_uri: `http://${trap.host}/request`,
            request: 'eyJhbGciOiJub25lIn0.eyJyZWRpcmVjdF91cmkiOiJodHRwczovL2V2aWwuZXhhbXBsZSJ9.',
            registration: `{"redirect_uris":["https://evil.example/"],"jwks_uri":"http://${trap.host}/"}`,
            response_mode: 'form_post',
            id_token_hint: 'x',
            claims: '{"userinfo":{"email":null}}',
          }
          const status = await ask(more)
          ensure(trap.connections() === before, 'requested a URL of the request')
          return status
        },
      },
      {
        what: 'a request by POST',
        expected: [404, 405],
        send: async () =>
          (
            await new Visitor().visit(`${site.url}/mcp/oauth/authorize`, {
              method: 'POST',
              headers: { 'content-type': 'application/x-www-form-urlencoded' },
            })
          ).status,
      },
    ],
  }
}
