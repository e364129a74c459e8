import { OpenAI, OpenAIEmbedding } from '@llamaindex/openai'
import { agent } from '@llamaindex/workflow'
import { tool } from 'llamaindex'
import { type ChatClient, type Connection, openAiUrl, PLACE, WEATHER } from './client.ts'

const options = (at: Connection) => ({ model: at.model, apiKey: at.apiKey, baseURL: openAiUrl(at) })
const connect = (at: Connection): OpenAI => new OpenAI(options(at))

const user = (content: string) => ({ role: 'user' as const, content })

export const llamaindex: ChatClient = {
  name: 'llamaindex',
  api: 'OpenAI',
  cannotAbort: true,
  async chat(at, prompt) {
    return (await connect(at).chat({ messages: [user(prompt)] })).message.content
  },
  async *stream(at, prompt) {
    for await (const { delta } of await connect(at).chat({ messages: [user(prompt)], stream: true }))
      yield delta
  },
  async callTools(at, prompt, weather) {
    const tools = [tool({ ...WEATHER, parameters: PLACE, execute: weather })]
    return (await agent({ llm: connect(at), tools }).run(prompt)).data.result
  },
  async structure(at, prompt) {
    return (await connect(at).exec({ messages: [user(prompt)], responseFormat: PLACE })).object
  },
  async converse(at, [one, two]) {
    const { message } = await connect(at).chat({ messages: [user(one)] })
    return (await connect(at).chat({ messages: [user(one), message, user(two)] })).message.content
  },
  embed: (at, texts) => new OpenAIEmbedding(options(at)).getTextEmbeddings(texts),
}
