import { TokenJS } from 'token.js'
import { type ChatClient, type Connection, openAiUrl, PLACE_SCHEMA, WEATHER } from '../clients/chat/client.ts'

const connect = (at: Connection): TokenJS => new TokenJS({ baseURL: openAiUrl(at), apiKey: at.apiKey })
const provider = 'openai-compatible' as const

const user = (content: string) => ({ role: 'user' as const, content })

export const token: ChatClient = {
  name: 'token.js',
  api: 'OpenAI',
  cannotAbort: true,
  async chat(at, prompt) {
    const { choices } = await connect(at).chat.completions.create({
      provider,
      model: at.model,
      messages: [user(prompt)],
    })
    return choices[0]?.message.content
  },
  async *stream(at, prompt) {
    const stream = await connect(at).chat.completions.create({
      provider,
      model: at.model,
      messages: [user(prompt)],
      stream: true,
    })
    for await (const { choices } of stream) yield choices[0]?.delta.content ?? ''
  },
  async callTools(at, prompt, weather) {
    const request = {
      provider,
      model: at.model,
      tools: [{ type: 'function' as const, function: { ...WEATHER, parameters: PLACE_SCHEMA } }],
    }
    const messages = [user(prompt)]
    const first = await connect(at).chat.completions.create({ ...request, messages })
    const message = first.choices[0]?.message
    const results = (message?.tool_calls ?? []).map(({ id, function: called }) => ({
      role: 'tool' as const,
      tool_call_id: id,
      content: weather(JSON.parse(called.arguments)),
    }))
    const second = await connect(at).chat.completions.create({
      ...request,
      messages: [...messages, message, ...results] as never,
    })
    return second.choices[0]?.message.content
  },
  async structure(at, prompt) {
    const { choices } = await connect(at).chat.completions.create({
      provider,
      model: at.model,
      messages: [user(prompt)],
      response_format: { type: 'json_object' },
    })
    return JSON.parse(choices[0]?.message.content ?? '')
  },
  async converse(at, [one, two]) {
    const first = await connect(at).chat.completions.create({
      provider,
      model: at.model,
      messages: [user(one)],
    })
    const { content = null } = first.choices[0]?.message ?? {}
    const second = await connect(at).chat.completions.create({
      provider,
      model: at.model,
      messages: [user(one), { role: 'assistant', content }, user(two)],
    })
    return second.choices[0]?.message.content
  },
}
