import { OPERATIONS, placesIn, withValueAt } from './contract.ts'
import { shuffled } from './random-choice.ts'
import type { Target } from './secret-target.ts'

/** Matches names of fields that take a secret. */
const SECRET_FIELDS =
  /^(?:.*password|.*token|api_key|key|code|recovery_code|secret|secret_access_key|client_secret|challenge|ticket|visitor_key|proof|value)$/

/** Sends up to `requestsMax` requests with a secret in a wrong place or in a form that the server cannot parse. */
export async function misplaceSecrets(
  { stage, plants, owner }: Target,
  { seed, requestsMax }: { seed: number; requestsMax: number },
): Promise<void> {
  const { token, organizationId } = owner
  const planters = {
    value: () => plants.plant('misplaced value'),
    name: () => plants.plant('misplaced name'),
  }
  const chosen = shuffled([...inRoutes(), ...inBodies(organizationId)], seed).slice(0, requestsMax)
  for (const plan of chosen) {
    const { method, path, body, headers } = plan(planters)
    const sent = method === 'GET' ? {} : { body }
    await stage.call(method, path, { token, headers: headers ?? {}, ...sent })
  }
}

/** Builds a request. Its secrets are created just before the request is sent. */
type Plan = (secret: { value(): string; name(): string }) => Request

interface Request {
  method: string
  path: string
  body: unknown
  headers?: Record<string, string>
}

/** Plans requests whose secret fields have a wrong type or length, and requests with secrets in unknown fields. */
const inBodies = (organizationId: string): Plan[] =>
  OPERATIONS.flatMap(({ method, path, body, example }) => {
    if (body === null || SKIPPED.includes(path)) return []
    const address = `${path}?org_id=${organizationId}`
    const fields = placesIn(body)
      .filter(({ path: place }) => SECRET_FIELDS.test(place.split('.').at(-1) ?? ''))
      .slice(0, FIELDS_MAX)
    const wrong = fields.flatMap(({ path: place }) =>
      WRONG_VALUES.map(
        (spoil): Plan =>
          (secret) => ({
            method,
            path: address,
            body: withValueAt(example ?? {}, place, spoil(secret.value())),
          }),
      ),
    )
    const unknown: Plan = (secret) => ({
      method,
      path: address,
      body: { ...toObject(example), [secret.name()]: secret.value() },
    })
    return [...wrong, unknown]
  })

/** Plans requests with a secret in every part of the request except the correct field. */
const inRoutes = (): Plan[] =>
  ROUTES.flatMap(([method, path]) => {
    const withBody = (body: (secret: string) => string, type?: (secret: string) => string): Plan => {
      return ({ value }) => ({
        method,
        path,
        body: body(value()),
        ...(type && { headers: { 'content-type': type(value()) } }),
      })
    }
    const withHeaders = (headers: (secret: () => string) => Record<string, string>): Plan => {
      return ({ value }) => ({ method, path, body: {}, headers: headers(value) })
    }
    return [
      withBody((secret) => `{"password": "${secret}", `),
      withBody((secret) => `{"password": "${secret}\\ud800"}`),
      withBody((secret) => `"${secret}"`),
      withBody(
        (secret) => `password=${secret}`,
        () => 'application/x-www-form-urlencoded',
      ),
      withBody(
        (secret) => secret,
        (secret) => `text/${secret}`,
      ),
      ({ value, name }) => ({
        method,
        path: `${path}?password=${value()}&${name()}=1&org_id=${value()}`,
        body: {},
      }),
      ({ name }) => ({ method, path: `${path}/${name()}`, body: {} }),
      withHeaders((secret) => ({ authorization: `Basic ${btoa(`parley:${secret()}`)}` })),
      withHeaders((secret) => ({ authorization: secret() })),
      withHeaders((secret) => ({ cookie: `parley_refresh=${secret()}; session=${secret()}` })),
      withHeaders((secret) => ({ 'idempotency-key': secret() })),
      withHeaders((secret) => ({
        'x-api-key': secret(),
        'x-request-id': secret(),
        'x-forwarded-for': secret(),
      })),
      withHeaders((secret) => ({ traceparent: secret(), tracestate: `secret=${secret()}` })),
      withHeaders((secret) => ({
        'user-agent': secret(),
        referer: `https://example.com/?code=${secret()}`,
      })),
      withHeaders((secret) => ({ accept: secret(), origin: `https://${secret()}.example` })),
    ]
  })

/** Maximum number of secret fields per request. Sufficient except for passkeys and for lists of sources. */
const FIELDS_MAX = 3
/** Operations that are skipped. They would end the session or the account that other requests need. */
const SKIPPED = ['/api/auth/logout', '/api/users/me']
const ROUTES = [
  ['POST', '/api/auth/login'],
  ['POST', '/api/auth/refresh'],
  ['POST', '/api/llm/add'],
  ['GET', '/api/users/me'],
  ['GET', '/files'],
  ['POST', '/mcp'],
  ['POST', '/openai/v1/chat/completions'],
] as const
const WRONG_VALUES: ((secret: string) => unknown)[] = [
  (secret) => [secret],
  (secret) => secret.repeat(400),
  (secret) => `${secret}\0`,
]

const toObject = (example: unknown): object =>
  typeof example === 'object' && example !== null ? example : {}
