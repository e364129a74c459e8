import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import {
  type EmbeddingModel,
  embedMany,
  generateText,
  isStepCount,
  jsonSchema,
  type LanguageModel,
  type ModelMessage,
  Output,
  streamText,
  tool,
} from 'ai'
import {
  anthropicUrl,
  type ChatClient,
  type Connection,
  openAiUrl,
  PLACE_SCHEMA,
  type Place,
  WEATHER,
} from './client.ts'

/** The AI SDK with one of its providers. */
const aiSdk = (
  name: string,
  api: ChatClient['api'],
  modelOf: (at: Connection) => LanguageModel,
  embedderOf?: (at: Connection) => EmbeddingModel,
): ChatClient => ({
  name,
  api,
  async chat(at, prompt) {
    return (await generateText({ model: modelOf(at), prompt })).text
  },
  async *stream(at, prompt, signal) {
    const { fullStream } = streamText({
      model: modelOf(at),
      prompt,
      onError: () => {},
      ...(signal && { abortSignal: signal }),
    })
    for await (const part of fullStream) {
      if (part.type === 'error') throw part.error
      if (part.type === 'text-delta') yield part.text
    }
  },
  async callTools(at, prompt, weather) {
    const { text } = await generateText({
      model: modelOf(at),
      prompt,
      stopWhen: isStepCount(3),
      tools: {
        weather: tool({
          description: WEATHER.description,
          inputSchema: jsonSchema<Place>(PLACE_SCHEMA),
          execute: async (place) => weather(place),
        }),
      },
    })
    return text
  },
  async structure(at, prompt) {
    const output = Output.object({ schema: jsonSchema<Place>(PLACE_SCHEMA) })
    return (await generateText({ model: modelOf(at), prompt, output })).output
  },
  async converse(at, [one, two]) {
    const messages: ModelMessage[] = [{ role: 'user', content: one }]
    const { response } = await generateText({ model: modelOf(at), messages })
    messages.push(...response.messages, { role: 'user', content: two })
    return (await generateText({ model: modelOf(at), messages })).text
  },
  ...(embedderOf && {
    async embed(at: Connection, values: string[]) {
      return (await embedMany({ model: embedderOf(at), values })).embeddings
    },
  }),
})

const openAi = (at: Connection) => createOpenAI({ baseURL: openAiUrl(at), apiKey: at.apiKey })
const compatible = (at: Connection) =>
  createOpenAICompatible({
    name: 'parley',
    baseURL: openAiUrl(at),
    apiKey: at.apiKey,
    supportsStructuredOutputs: true,
  })

export const aiSdkOpenAi = aiSdk(
  '@ai-sdk/openai',
  'OpenAI',
  (at) => openAi(at)(at.model),
  (at) => openAi(at).embeddingModel(at.model),
)
export const aiSdkCompatible = aiSdk(
  '@ai-sdk/openai-compatible',
  'OpenAI',
  (at) => compatible(at)(at.model),
  (at) => compatible(at).embeddingModel(at.model),
)
export const aiSdkAnthropic = aiSdk('@ai-sdk/anthropic', 'Anthropic', (at) =>
  createAnthropic({ baseURL: `${anthropicUrl(at)}/v1`, apiKey: at.apiKey })(at.model),
)
