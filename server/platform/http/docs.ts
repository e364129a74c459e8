import { createHash, randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { acceptsCoding } from './accept.ts'

/**
 * Serves /openapi.json, /v1/openapi.json, and /docs, which is an explorer of both documents. The explorer sends no
 * third-party requests. The documents are created on first use, and all responses share one copy in memory.
 */
export function registerDocs(app: FastifyInstance, describe: () => object, describeV1: () => object): void {
  const documentOf = once(() => asDocument(describe()))
  const documentOfV1 = once(() => asDocument(describeV1()))
  for (const url of ['/openapi.json', '/api/openapi.json'])
    app.get(url, (request, reply) =>
      sendDocument(request.enveloped ? documentOfV1() : documentOf(), request, reply),
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

interface Document {
  bytes: Buffer
  zipped: Buffer
  etag: string
}

function asDocument(description: object): Document {
  const bytes = Buffer.from(JSON.stringify(description))
  const hash = createHash('sha256').update(bytes).digest('base64url')
  return { bytes, zipped: gzipSync(bytes), etag: `"${hash}"` }
}

function sendDocument(
  { bytes, zipped, etag }: Document,
  { headers }: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const isZipped = acceptsCoding('gzip', headers['accept-encoding'])
  // Each coding is a representation with an ETag of its own (RFC 9110, 8.8.3.3).
  const tag = isZipped ? etag.replace(/"$/, '-gzip"') : etag
  reply.headers({ ETag: tag, 'Cache-Control': 'no-cache' })
  reply.header('Vary', [reply.getHeader('Vary'), 'Accept-Encoding'].filter(Boolean).join(', '))
  if (hasTag(headers['if-none-match'], tag)) return reply.code(304).send()
  reply.type('application/json; charset=utf-8')
  return isZipped ? reply.header('Content-Encoding', 'gzip').send(zipped) : reply.send(bytes)
}

/** Returns whether If-None-Match names the tag, by weak comparison (RFC 9110, 13.1.2). */
const hasTag = (header = '', tag: string): boolean =>
  header.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === tag)

/** Returns a function that creates the value on its first call, and returns the same value on later calls. */
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
    { title: 'Parley API', slug: 'api', url: '/openapi.json', default: true },
    { title: 'Parley API v1, in an envelope', slug: 'v1', url: '/v1/openapi.json' },
  ],
  withDefaultFonts: false,
  telemetry: false,
  // Disabled because they use the vendor's servers, which the policy blocks.
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
}

/**
 * The page shares the console's origin. The policy therefore allows only the page's own scripts, and requests only to
 * this server.
 */
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

/** The console's logo, inline because a server without a built console has no /favicon.svg. */
const MARK =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#4f46e5"/>' +
  '<path d="M8 9.5A2.5 2.5 0 0 1 10.5 7h11A2.5 2.5 0 0 1 24 9.5v8a2.5 2.5 0 0 1-2.5 2.5H15l-5 5v-5A2.5 2.5 0 0 1 8 ' +
  '17.5z" fill="#fff"/><path d="M12.5 11.5h7M12.5 15.5h4.5" stroke="#4f46e5" stroke-width="2" ' +
  'stroke-linecap="round"/></svg>'
const LOGO = `data:image/svg+xml,${encodeURIComponent(MARK)}`

/**
 * Leaves room for the bar above the explorer. Hides the links to the explorer's vendor, because no option removes
 * them.
 */
const STYLE = `
  :root { --scalar-custom-header-height: 48px }
  body { margin: 0 }
  .bar { position: sticky; top: 0; z-index: 10; box-sizing: border-box; height: 48px; padding: 0 12px; display: flex;
    align-items: center; border-bottom: 1px solid var(--scalar-border-color);
    background: var(--scalar-background-1); font: 600 16px system-ui, sans-serif }
  .bar a { display: flex; gap: 8px; align-items: center; color: var(--scalar-color-1); text-decoration: none }
  .light-mode { --scalar-color-accent: #4f46e5 }
  .dark-mode { --scalar-color-accent: #a5b4fc }
  a[href*="scalar.com"] { display: none !important }
`

const page = (nonce: string): string => `<!doctype html>
<html lang="en">
  <head>
    <title>Parley API</title>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <link rel="icon" href="${LOGO}" type="image/svg+xml">
    <style>${STYLE}</style>
  </head>
  <body>
    <header class="bar">
      <a href="/">
        <img src="${LOGO}" alt="" width="24" height="24">Parley
      </a>
    </header>
    <div id="app"></div>
    <script nonce="${nonce}" src="${SCRIPT}"></script>
    <script nonce="${nonce}">Scalar.createApiReference('#app', ${JSON.stringify(CONFIGURATION)})</script>
  </body>
</html>
`

/** Loads the explorer on first use, because it is large and rarely used. Startup does not wait for it. */
async function loadExplorer(): Promise<Buffer> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const explorer = Fastify({ logger: false })
  await explorer.register(scalar, { routePrefix: '/docs', configuration: { url: '/openapi.json' } })
  const { rawPayload } = await explorer.inject(SCRIPT)
  await explorer.close()
  return rawPayload
}
