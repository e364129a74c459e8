import Fastify, { type FastifyInstance } from 'fastify'
import { handOver } from './hand-over.ts'

/**
 * /openapi.json, the same of what is under /v1 at /v1/openapi.json, and /docs: an explorer of both that is served from
 * here and loads nothing from elsewhere. The documents are made when they are first asked for.
 */
export function registerDocs(app: FastifyInstance, describe: () => object, describeV1: () => object): void {
  const textOf = once(describe)
  const textOfV1 = once(describeV1)
  for (const url of ['/openapi.json', '/api/openapi.json'])
    app.get(url, (request, reply) =>
      reply.type('application/json; charset=utf-8').send(request.enveloped ? textOfV1() : textOf()),
    )
  let explorer: Promise<FastifyInstance> | undefined
  for (const url of ['/docs', '/docs/*'])
    app.get(url, async (request, reply) => {
      explorer ??= loadExplorer()
      const { routing } = await explorer
      routing(request.raw, handOver(reply))
    })
}

/** The document as text, made at the first call. */
function once(describe: () => object): () => string {
  let text: string | undefined
  return () => {
    text ??= JSON.stringify(describe())
    return text
  }
}

/** The explorer is large and seldom asked for, so it is loaded by the first who does, and the start doesn't wait. */
async function loadExplorer(): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const explorer = Fastify({ logger: false })
  await explorer.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      sources: [
        { title: 'Parley', slug: 'api', url: '/openapi.json', default: true },
        { title: 'Parley, in the envelope', slug: 'v1', url: '/v1/openapi.json' },
      ],
      withDefaultFonts: false,
      telemetry: false,
    },
  })
  await explorer.ready()
  return explorer
}
