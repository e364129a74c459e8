import { afterAll, expect } from 'vitest'
import { createModels } from '#platform/models/index.ts'
import { ModelError, type ModelRequest, type Provider } from '#platform/models/types.ts'
import { createNet } from '#platform/net/index.ts'
import { type CollectedReply, collectReply } from './collect-reply.ts'
import { event, type ScriptedServer, startScripted } from './scripted.ts'

export interface ScriptedModels {
  server: ScriptedServer
  /** Returns the reply of a model whose provider is the scripted server. */
  ask(provider?: Provider, request?: ModelRequest): Promise<CollectedReply>
  /** Asks as `ask` does, and expects the call to fail. */
  failureOf(provider?: Provider, request?: ModelRequest): Promise<ModelError>
}

export const HELLO: ModelRequest = { messages: [{ role: 'user', content: 'Hello' }] }

/** Starts a scripted server, and models that call it. Both end with the test file. */
export async function startScriptedModels(): Promise<ScriptedModels> {
  const net = createNet({ allowPrivateNetwork: ['127.0.0.0/8'] })
  const models = createModels({ net })
  const server = await startScripted()
  afterAll(() => Promise.all([net.close(), server.close()]))
  const ask = (provider: Provider = 'openai-compatible', request = HELLO) =>
    collectReply(
      models,
      {
        provider,
        model: 'm',
        name: 'House model',
        baseUrl: `${server.url}/v1`,
        apiKey: 'sk-abcdefghijklmnop',
        guarded: true,
      },
      request,
    )
  return {
    server,
    ask,
    async failureOf(provider, request) {
      const reply = await ask(provider, request).catch((reason: unknown) => reason)
      expect(reply).toBeInstanceOf(ModelError)
      return reply as ModelError
    },
  }
}

/** The events of an OpenAI-compatible stream. */
export const delta = (value: object, more: object = {}): string =>
  event({ choices: [{ index: 0, delta: value, ...more }] })
export const finish = (finish_reason: string): string => delta({}, { finish_reason })
export const STOP = finish('stop')
export const DONE = 'data: [DONE]\n\n'
export const HEL_LO = delta({ content: 'Hel' }) + delta({ content: 'lo' })

/** A reply of an OpenAI-compatible server that does not stream. */
export const completion = (message: object, more: object = {}) => ({
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop', ...more }],
  usage: { prompt_tokens: 5, completion_tokens: 3 },
})
