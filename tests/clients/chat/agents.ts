import { Agent, OpenAIProvider, Runner, tool } from '@openai/agents'
import { type ChatClient, type Connection, openAiUrl, PLACE, WEATHER } from './client.ts'

const newRunner = (at: Connection): Runner =>
  new Runner({
    modelProvider: new OpenAIProvider({ baseURL: openAiUrl(at), apiKey: at.apiKey }),
    tracingDisabled: true,
  })

const clerk = ({ model }: Connection) => ({ name: 'Clerk', instructions: 'Be brief.', model })

export const agents: ChatClient = {
  name: '@openai/agents',
  api: 'OpenAI',
  async chat(at, prompt) {
    return (await newRunner(at).run(new Agent(clerk(at)), prompt)).finalOutput
  },
  async *stream(at, prompt, signal) {
    const result = await newRunner(at).run(new Agent(clerk(at)), prompt, {
      stream: true,
      ...(signal && { signal }),
    })
    yield* result.toTextStream()
    await result.completed
  },
  async callTools(at, prompt, weather) {
    const tools = [tool({ ...WEATHER, parameters: PLACE, execute: weather })]
    return (await newRunner(at).run(new Agent({ ...clerk(at), tools }), prompt)).finalOutput
  },
  async structure(at, prompt) {
    return (await newRunner(at).run(new Agent({ ...clerk(at), outputType: PLACE }), prompt)).finalOutput
  },
  async converse(at, [one, two]) {
    const { lastResponseId } = await newRunner(at).run(new Agent(clerk(at)), one)
    const previousResponseId = lastResponseId as string
    return (await newRunner(at).run(new Agent(clerk(at)), two, { previousResponseId })).finalOutput
  },
}
