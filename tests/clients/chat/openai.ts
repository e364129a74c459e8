import OpenAI from 'openai'
import { zodResponseFormat } from 'openai/helpers/zod'
import { type ChatClient, type Connection, openAiUrl, PLACE, PLACE_SCHEMA, WEATHER } from './client.ts'

const connect = (at: Connection): OpenAI => new OpenAI({ baseURL: openAiUrl(at), apiKey: at.apiKey })

const user = (content: string) => ({ role: 'user' as const, content })

export const openai: ChatClient = {
  name: 'openai',
  api: 'OpenAI',
  async chat(at, prompt) {
    const { choices } = await connect(at).chat.completions.create({
      model: at.model,
      messages: [user(prompt)],
    })
    return choices[0]?.message.content
  },
  async *stream(at, prompt, signal) {
    const request = { model: at.model, messages: [user(prompt)], stream: true as const }
    for await (const { choices } of await connect(at).chat.completions.create(request, { signal }))
      yield choices[0]?.delta.content ?? ''
  },
  callTools(at, prompt, weather) {
    const runner = connect(at).chat.completions.runTools({
      model: at.model,
      messages: [user(prompt)],
      tools: [
        {
          type: 'function',
          function: { ...WEATHER, parameters: PLACE_SCHEMA, parse: JSON.parse, function: weather },
        },
      ],
    })
    return runner.finalContent()
  },
  async structure(at, prompt) {
    const { choices } = await connect(at).chat.completions.parse({
      model: at.model,
      messages: [user(prompt)],
      response_format: zodResponseFormat(PLACE, 'place'),
    })
    return choices[0]?.message.parsed
  },
  async converse(at, [one, two]) {
    const { id } = await connect(at).responses.create({ model: at.model, input: one })
    const second = await connect(at).responses.create({
      model: at.model,
      input: two,
      previous_response_id: id,
    })
    return second.output_text
  },
  async embed(at, texts) {
    const { data } = await connect(at).embeddings.create({ model: at.model, input: texts })
    return data.map(({ embedding }) => embedding)
  },
}
