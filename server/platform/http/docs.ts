import { randomBytes } from 'node:crypto'
import Fastify, { type FastifyInstance } from 'fastify'

/**
 * Serves /openapi.json, /v1/openapi.json, and /docs, an explorer of both without third-party requests. The documents
 * are created on first use, and all responses share one copy in memory.
 */
export function registerDocs(app: FastifyInstance, describe: () => object, describeV1: () => object): void {
  const textOf = once(() => Buffer.from(JSON.stringify(describe())))
  const textOfV1 = once(() => Buffer.from(JSON.stringify(describeV1())))
  for (const url of ['/openapi.json', '/api/openapi.json'])
    app.get(url, (request, reply) =>
      reply.type('application/json; charset=utf-8').send(request.enveloped ? textOfV1() : textOf()),
    )
  app.get('/docs', (_request, reply) => reply.redirect('/docs/', 301))
  app.get('/docs/', (_request, reply) => {
    const nonce = randomBytes(NONCE_BYTES).toString('base64url')
    return reply.type('text/html; charset=utf-8').headers(pageHeaders(nonce)).send(page(nonce))
  })
  const script = once(loadExplorer)
  app.get(SCRIPT, async (_request, reply) =>
    reply
      .type('application/javascript; charset=utf-8')
      .header('X-Content-Type-Options', 'nosniff')
      .send(await script()),
  )
}

/** Returns a function that creates the value on its first call. */
function once<Value extends {}>(make: () => Value): () => Value {
  let value: Value | undefined
  return () => {
    value ??= make()
    return value
  }
}

const SCRIPT = '/docs/js/scalar.js'
const NONCE_BYTES = 16

const CONFIGURATION = {
  sources: [
    { title: 'Parley', slug: 'api', url: '/openapi.json', default: true },
    { title: 'Parley, in the envelope', slug: 'v1', url: '/v1/openapi.json' },
  ],
  withDefaultFonts: false,
  telemetry: false,
  // Disabled because they use the vendor's servers, which the policy blocks.
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
}

/** The page shares the console's origin. So the policy allows only its own scripts and requests only to this server. */
const pageHeaders = (nonce: string): Record<string, string> => ({
  'Content-Security-Policy': [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    // The explorer creates style elements without a nonce, and style attributes.
    "style-src 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Cache-Control': 'no-store',
})

const page = (nonce: string): string => `<!doctype html>
<html lang="en">
  <head>
    <title>Parley API</title>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
  </head>
  <body>
    <div id="app"></div>
    <script nonce="${nonce}" src="${SCRIPT}"></script>
    <script nonce="${nonce}">Scalar.createApiReference('#app', ${JSON.stringify(CONFIGURATION)})</script>
  </body>
</html>
`

/** Loads the explorer on first use: it is large and rarely used, so startup should not wait for it. */
async function loadExplorer(): Promise<Buffer> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const explorer = Fastify({ logger: false })
  await explorer.register(scalar, { routePrefix: '/docs', configuration: { url: '/openapi.json' } })
  const { rawPayload } = await explorer.inject(SCRIPT)
  await explorer.close()
  return rawPayload
}
