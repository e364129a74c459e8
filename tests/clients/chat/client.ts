import { z } from 'zod'

/** The settings of a client's user: where Parley is, a key, and the name of a model. */
export interface Connection {
  url: string
  apiKey: string
  model: string
}

/**
 * A chat client of another project, used as its documentation shows. A method is absent if the client lacks the
 * feature.
 */
export interface ChatClient {
  /** Name of the npm package. */
  name: string
  /** The API that the client is made for. */
  api: 'OpenAI' | 'Anthropic'
  chat?(at: Connection, prompt: string): Promise<unknown>
  /** Yields the pieces of a reply. Aborting `signal` ends the reply. */
  stream?(at: Connection, prompt: string, signal?: AbortSignal): AsyncIterable<string>
  /** Runs the client's loop of tool calls with one tool, WEATHER. Returns the final reply. */
  callTools?(at: Connection, prompt: string, weather: Weather): Promise<unknown>
  /** Requests a reply of the form PLACE, and returns it parsed. */
  structure?(at: Connection, prompt: string): Promise<unknown>
  /** Sends two prompts in one conversation. Returns the second reply. */
  converse?(at: Connection, prompts: readonly [string, string]): Promise<unknown>
  embed?(at: Connection, texts: string[]): Promise<number[][]>
  /** True if the client cannot abort a reply. */
  cannotAbort?: boolean
}

export const PLACE = z.object({ city: z.string() })
export type Place = z.infer<typeof PLACE>
/** PLACE as JSON Schema. */
export const PLACE_SCHEMA = {
  type: 'object' as const,
  properties: { city: { type: 'string' as const } },
  required: ['city'],
  additionalProperties: false as const,
}

export type Weather = (place: Place) => string
export const WEATHER = { name: 'weather', description: 'The weather in a city' }

export const openAiUrl = ({ url }: Connection): string => `${url}/openai/v1`
export const anthropicUrl = ({ url }: Connection): string => `${url}/anthropic`
