import { Agent } from '@mastra/core/agent'
import { createTool } from '@mastra/core/tools'
import {
  type ChatClient,
  type Connection,
  openAiUrl,
  PLACE,
  type Place,
  WEATHER,
} from '../clients/chat/client.ts'

const clerk = (at: Connection) => ({
  id: 'clerk',
  name: 'Clerk',
  instructions: 'Be brief.',
  model: { id: `parley/${at.model}` as const, url: openAiUrl(at), apiKey: at.apiKey },
})

const user = (content: string) => ({ role: 'user' as const, content })

export const mastra: ChatClient = {
  name: '@mastra/core',
  api: 'OpenAI',
  async chat(at, prompt) {
    return (await new Agent(clerk(at)).generate(prompt)).text
  },
  async *stream(at, prompt, signal) {
    const output = await new Agent(clerk(at)).stream(prompt, { ...(signal && { abortSignal: signal }) })
    yield* output.textStream
    if (output.error) throw output.error
  },
  async callTools(at, prompt, weather) {
    const tools = {
      weather: createTool({
        id: WEATHER.name,
        description: WEATHER.description,
        inputSchema: PLACE,
        execute: async (place: Place) => weather(place),
      }),
    }
    return (await new Agent({ ...clerk(at), tools }).generate(prompt)).text
  },
  async structure(at, prompt) {
    return (await new Agent(clerk(at)).generate(prompt, { structuredOutput: { schema: PLACE } })).object
  },
  async converse(at, [one, two]) {
    const { text } = await new Agent(clerk(at)).generate([user(one)])
    const messages = [user(one), { role: 'assistant' as const, content: text }, user(two)]
    return (await new Agent(clerk(at)).generate(messages)).text
  },
}
