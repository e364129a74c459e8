import Fastify, { type FastifyInstance } from 'fastify'

/** /openapi.json, and /docs: an explorer of it that is served from here and loads nothing from elsewhere. */
export function registerDocs(app: FastifyInstance, document: object): void {
  const text = JSON.stringify(document)
  app.get('/openapi.json', (_request, reply) => reply.type('application/json; charset=utf-8').send(text))
  let explorer: Promise<FastifyInstance> | undefined
  for (const url of ['/docs', '/docs/*'])
    app.get(url, async (request, reply) => {
      explorer ??= loadExplorer()
      reply.hijack()
      const { routing } = await explorer
      routing(request.raw, reply.raw)
    })
}

/** The explorer is large and seldom asked for, so it is loaded by the first who does, and the start doesn't wait. */
async function loadExplorer(): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const explorer = Fastify({ logger: false })
  await explorer.register(scalar, {
    routePrefix: '/docs',
    configuration: { url: '/openapi.json', withDefaultFonts: false, telemetry: false },
  })
  await explorer.ready()
  return explorer
}
