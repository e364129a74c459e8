import { ChatAnthropic } from '@langchain/anthropic'
import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { HumanMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai'
import { createAgent } from 'langchain'
import { anthropicUrl, type ChatClient, type Connection, openAiUrl, PLACE, WEATHER } from './client.ts'

/** LangChain with one of its model classes. */
const langchain = (
  name: string,
  api: ChatClient['api'],
  modelOf: (at: Connection) => BaseChatModel,
  embedderOf?: (at: Connection) => OpenAIEmbeddings,
): ChatClient => ({
  name,
  api,
  async chat(at, prompt) {
    return (await modelOf(at).invoke(prompt)).text
  },
  async *stream(at, prompt, signal) {
    for await (const chunk of await modelOf(at).stream(prompt, { ...(signal && { signal }) }))
      yield chunk.text
  },
  async callTools(at, prompt, weather) {
    const tools = [tool(weather, { ...WEATHER, schema: PLACE })]
    const { messages } = await createAgent({ model: modelOf(at), tools }).invoke({
      messages: [new HumanMessage(prompt)],
    })
    return messages.at(-1)?.text
  },
  structure: (at, prompt) => modelOf(at).withStructuredOutput(PLACE, { name: 'place' }).invoke(prompt),
  async converse(at, [one, two]) {
    const first = await modelOf(at).invoke([new HumanMessage(one)])
    return (await modelOf(at).invoke([new HumanMessage(one), first, new HumanMessage(two)])).text
  },
  ...(embedderOf && {
    embed: (at: Connection, texts: string[]) => embedderOf(at).embedDocuments(texts),
  }),
})

const openAi = (at: Connection) => ({
  model: at.model,
  apiKey: at.apiKey,
  configuration: { baseURL: openAiUrl(at) },
})

export const langchainOpenAi = langchain(
  '@langchain/openai',
  'OpenAI',
  (at) => new ChatOpenAI(openAi(at)),
  (at) => new OpenAIEmbeddings(openAi(at)),
)
export const langchainAnthropic = langchain(
  '@langchain/anthropic',
  'Anthropic',
  (at) => new ChatAnthropic({ model: at.model, apiKey: at.apiKey, anthropicApiUrl: anthropicUrl(at) }),
)
