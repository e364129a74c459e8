import { Visitor } from '#tests/support/mcp/connecting.ts'
import type { Attempt } from './attempts.ts'
import { type Attempts, ensure, type OAuthStage } from './oauth-stage.ts'

/** Attacks on the consent page: forged, framed, and submitted by other users. */
export async function consents(stage: OAuthStage): Promise<Attempts> {
  const { site, deps, owner, stranger, anotherNetwork } = stage
  const made = await site.call('POST', `/api/api_keys/create?org_id=${owner.organizationId}`, {
    token: owner.token,
    body: { name: 'for consent', permissions: ['*:*'] },
  })
  const open = async () => {
    const visitor = new Visitor()
    const url = deps.authorizeUrl(await deps.registered())
    const { location: page, headers } = await visitor.visit(url, { headers: anotherNetwork() })
    const cookie = headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ')
    return { visitor, page, cookie }
  }
  const body = { organization_id: owner.organizationId }
  const decide = async (
    { visitor, page }: { visitor: Visitor; page: string },
    options: Parameters<Visitor['visit']>[1] = {},
  ) => visitor.visit(`${page}/allow`, { method: 'POST', token: owner.token, body, ...options })
  const refused = (what: string, expected: number[], options: Parameters<Visitor['visit']>[1]): Attempt => ({
    what: `a consent ${what}`,
    expected,
    send: async () => (await decide(await open(), options)).status,
  })
  const without = { token: '' }
  return {
    genuine: [
      {
        what: 'a genuine consent',
        expected: [303],
        async send() {
          const stand = await open()
          const { text } = await decide(stand)
          const back = await stand.visitor.visit(JSON.parse(text).location)
          ensure(new URL(back.location).searchParams.has('code'), back.location)
          return back.status
        },
      },
      {
        what: 'a genuine consent with the cookies of its request',
        expected: [200],
        async send() {
          const { page, cookie } = await open()
          return (await decide({ visitor: new Visitor(), page }, { headers: { cookie } })).status
        },
      },
      {
        what: 'a genuine refusal',
        expected: [303],
        async send() {
          const { visitor, page } = await open()
          const { text } = await visitor.visit(`${page}/deny`, { method: 'POST', body: {} })
          const back = await visitor.visit(JSON.parse(text).location)
          const parameters = new URL(back.location).searchParams
          ensure(parameters.get('error') === 'access_denied' && !parameters.has('code'), back.location)
          return back.status
        },
      },
    ],
    attacks: [
      {
        what: 'the page in a frame, in a cache, or named in a Referer',
        expected: [200],
        async send() {
          const { visitor, page } = await open()
          const { status, headers } = await visitor.visit(page)
          const policy = headers.get('content-security-policy') ?? ''
          for (const rule of [
            "default-src 'none'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
            "form-action 'none'",
          ])
            ensure(policy.includes(rule), policy)
          ensure(!/unsafe|\*|https?:/.test(policy), policy)
          ensure(headers.get('x-frame-options') === 'DENY', headers.get('x-frame-options'))
          ensure(headers.get('referrer-policy') === 'no-referrer', headers.get('referrer-policy'))
          ensure(headers.get('cache-control') === 'no-store', headers.get('cache-control'))
          return status
        },
      },
      refused('without a session', [401], without),
      refused('by a foreign page, with only the cookies', [401], {
        ...without,
        headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      }),
      refused('by a foreign form', [400, 401, 415], {
        ...without,
        headers: { origin: 'https://evil.example', 'content-type': 'application/x-www-form-urlencoded' },
      }),
      refused('by an API key', [403], { token: made.body.key }),
      refused('of a stranger', [403, 404], { token: stranger.token }),
      refused("for a stranger's organization", [403, 404], {
        body: { organization_id: stranger.organizationId },
      }),
      refused('without an organization', [400], { body: {} }),
      refused('for every organization', [400], { body: { organization_id: '%' } }),
      refused('for a list of organizations', [400], { body: { organization_id: [owner.organizationId] } }),
      {
        what: 'the page in another browser',
        expected: [400],
        send: async () => (await new Visitor().visit((await open()).page)).status,
      },
      {
        what: 'a consent in another browser',
        expected: [400],
        async send() {
          const { page } = await open()
          return (await decide({ visitor: new Visitor(), page })).status
        },
      },
      {
        what: "a consent for an attacker's app, in a browser with another pending consent",
        expected: [400],
        async send() {
          const [{ page }, { visitor }] = [await open(), await open()]
          return (await decide({ visitor, page })).status
        },
      },
      {
        what: "a consent for an attacker's app, with the cookies of another request",
        expected: [400],
        async send() {
          const [{ page }, { cookie }] = [await open(), await open()]
          return (await decide({ visitor: new Visitor(), page }, { headers: { cookie } })).status
        },
      },
      {
        what: 'a refusal in another browser',
        expected: [400],
        send: async () =>
          (await new Visitor().visit(`${(await open()).page}/deny`, { method: 'POST', body: {} })).status,
      },
      {
        what: 'a used consent',
        expected: [400],
        async send() {
          const stand = await open()
          ensure((await decide(stand)).status === 200, 'refused the first time')
          return (await decide(stand)).status
        },
      },
      {
        what: 'a consent after a refusal',
        expected: [400],
        async send() {
          const stand = await open()
          await stand.visitor.visit(`${stand.page}/deny`, { method: 'POST', body: {} })
          return (await decide(stand)).status
        },
      },
      {
        what: 'the code of a consent, fetched by another browser',
        expected: [400],
        async send() {
          const { text } = await decide(await open())
          const { status, location } = await new Visitor().visit(JSON.parse(text).location)
          ensure(location === '', location)
          return status
        },
      },
      {
        what: 'the code of a consent, fetched twice',
        expected: [400],
        async send() {
          const stand = await open()
          const { text } = await decide(stand)
          await stand.visitor.visit(JSON.parse(text).location)
          return (await stand.visitor.visit(JSON.parse(text).location)).status
        },
      },
      {
        what: 'the code of an undecided request',
        expected: [400],
        async send() {
          const { visitor, page } = await open()
          const { status, location } = await visitor.visit(page.replace('/consent/', '/authorize/'))
          ensure(!location.includes('code='), location)
          // A redirect to the consent page means that the previous consent was not accepted.
          return location.includes('/consent/') ? 400 : status
        },
      },
      ...['allow', 'deny'].map((decision) => ({
        what: `a preflight of ${decision} from a foreign page`,
        expected: [200, 204, 400, 404, 405],
        async send() {
          const { visitor, page } = await open()
          const { status, headers } = await visitor.visit(`${page}/${decision}`, {
            method: 'OPTIONS',
            headers: {
              origin: 'https://evil.example',
              'access-control-request-method': 'POST',
              'access-control-request-headers': 'authorization, content-type',
            },
          })
          const allowed = headers.get('access-control-allow-origin')
          ensure(allowed === null, allowed)
          return status
        },
      })),
      ...['allow', 'deny'].map((decision) => ({
        what: `a link to ${decision}`,
        expected: [404, 405],
        async send() {
          const { visitor, page } = await open()
          return (await visitor.visit(`${page}/${decision}`, { token: owner.token })).status
        },
      })),
    ],
  }
}
