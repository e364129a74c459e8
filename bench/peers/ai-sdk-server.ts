import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { serve } from '@hono/node-server'
import { type ModelMessage, streamText } from 'ai'
import { Hono } from 'hono'

const provider = createOpenAICompatible({
  name: 'provider',
  baseURL: `${process.env['PROVIDER_URL']}/v1`,
  apiKey: 'k',
  includeUsage: true,
})
const app = new Hono()

app.get('/v1/models', (context) => context.json({ data: [] }))

app.post('/chat', async (context) => {
  const { model, messages } = await context.req.json<{ model: string; messages: ModelMessage[] }>()
  return streamText({ model: provider(model), messages }).toUIMessageStreamResponse()
})

serve({ fetch: app.fetch, port: Number(process.env['PORT']), hostname: '127.0.0.1' })
