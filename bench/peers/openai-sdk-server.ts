import fastify from 'fastify'
import OpenAI from 'openai'

const openai = new OpenAI({ baseURL: `${process.env['PROVIDER_URL']}/v1`, apiKey: 'k' })
const server = fastify()

server.get('/v1/models', () => ({ data: [] }))

server.post('/v1/chat/completions', async (request, reply) => {
  const chunks = await openai.chat.completions.create(
    request.body as OpenAI.Chat.ChatCompletionCreateParamsStreaming,
  )
  reply.hijack()
  reply.raw.writeHead(200, { 'content-type': 'text/event-stream' })
  for await (const chunk of chunks) reply.raw.write(`data: ${JSON.stringify(chunk)}\n\n`)
  reply.raw.end('data: [DONE]\n\n')
})

await server.listen({ port: Number(process.env['PORT']), host: '127.0.0.1' })
