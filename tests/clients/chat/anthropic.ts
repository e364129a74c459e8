import Anthropic from '@anthropic-ai/sdk'
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod'
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod'
import { anthropicUrl, type ChatClient, type Connection, PLACE, WEATHER } from './client.ts'

const connect = (at: Connection): Anthropic => new Anthropic({ baseURL: anthropicUrl(at), apiKey: at.apiKey })

const user = (content: string) => ({ role: 'user' as const, content })
const request = ({ model }: Connection, ...messages: Anthropic.MessageParam[]) => ({
  model,
  max_tokens: 1_000,
  messages,
})

const textOf = (blocks: readonly { type: string; text?: unknown }[]): string =>
  blocks.map((block) => (block.type === 'text' ? block.text : '')).join('')

export const anthropic: ChatClient = {
  name: '@anthropic-ai/sdk',
  api: 'Anthropic',
  async chat(at, prompt) {
    return textOf((await connect(at).messages.create(request(at, user(prompt)))).content)
  },
  async *stream(at, prompt, signal) {
    for await (const event of connect(at).messages.stream(request(at, user(prompt)), { signal }))
      if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') yield event.delta.text
  },
  async callTools(at, prompt, weather) {
    const tools = [betaZodTool({ ...WEATHER, inputSchema: PLACE, run: weather })]
    const { content } = await connect(at).beta.messages.toolRunner({ ...request(at, user(prompt)), tools })
    return textOf(content)
  },
  async structure(at, prompt) {
    const output_config = { format: zodOutputFormat(PLACE) }
    return (await connect(at).messages.parse({ ...request(at, user(prompt)), output_config })).parsed_output
  },
  async converse(at, [one, two]) {
    const { content } = await connect(at).messages.create(request(at, user(one)))
    const second = request(at, user(one), { role: 'assistant', content }, user(two))
    return textOf((await connect(at).messages.create(second)).content)
  },
}
