import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Answer, Person } from '#tests/support/client.ts'
import { event, type ScriptedServer, startScripted } from '#tests/support/provider/scripted.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/** A fault has the same code at every address of /openai/v1, in a response and in a stream. */

let server: TestServer
let provider: ScriptedServer
let person: Person
beforeAll(async () => {
  provider = await startScripted()
  server = await sharedTestServer()
  person = await server.signUp()
  await server.addModel(person, {
    name: 'compatible',
    provider: 'openai-compatible',
    version: 'm',
    config: { base_url: `${provider.url}/v1`, api_key: 'k' },
  })
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const messages = [{ role: 'user', content: 'hi' }]
const REPLIES = {
  'chat/completions': { messages },
  completions: { prompt: 'hi' },
  responses: { input: 'hi' },
}
const OTHERS = {
  embeddings: { input: 'hi' },
  'images/generations': { prompt: 'hi' },
  'audio/speech': { input: 'hi', voice: 'a' },
}
type Reply = keyof typeof REPLIES

const ask = (route: string, body: object, token: string | undefined = person.token): Promise<Answer> =>
  server.call('POST', `/openai/v1/${route}`, { ...(token !== undefined && { token }), body })

const everywhere = [
  ...Object.entries(REPLIES).flatMap(([route, body]): [string, object][] => [
    [route, body],
    [route, { ...body, stream: true }],
  ]),
  ...Object.entries(OTHERS),
]

describe.each(everywhere)('%s %j', (route, body) => {
  const codeOf = ({ status, body: { error } }: Answer) => [status, error.code]
  test('an unknown model', async () => {
    expect(codeOf(await ask(route, { model: 'nothing', ...body }))).toEqual([404, 'model_not_found'])
    const id = crypto.randomUUID()
    expect(codeOf(await ask(route, { model: id, ...body }))).toEqual([404, 'model_not_found'])
  })
  test('a missing and a wrong key', async () => {
    const nobody = await server.call('POST', `/openai/v1/${route}`, {
      body: { model: 'compatible', ...body },
    })
    expect(codeOf(nobody)).toEqual([401, 'invalid_api_key'])
    const wrong = await ask(route, { model: 'compatible', ...body }, 'sk_wrong')
    expect(codeOf(wrong)).toEqual([401, 'invalid_api_key'])
  })
  test('a field of the wrong type', async () => {
    expect(codeOf(await ask(route, { ...body, model: 7 }))).toEqual([400, 'request.invalid'])
  })
})

/** The code of a failed reply, wherever it stands. */
const failureOf = ({ text, body }: Answer): unknown => {
  const events = text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)))
  const failed = [body, ...events].find((one) => one?.error ?? one?.response?.error)
  return (failed?.error ?? failed?.response?.error)?.code
}

const breakOff = (error: object) => () => {
  provider.answer = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(event({ choices: [{ index: 0, delta: { content: 'Hel' } }] }))
    response.end(event({ error }))
  }
}
const refuse = (status: number) => () => {
  provider.answer = (response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error: { message: 'No.' } }))
  }
}

describe.each<[fault: string, play: () => void, code: string]>([
  ['a provider that fails', refuse(500), 'llm.failed'],
  ['a provider that accepts no more requests', refuse(429), 'rate_limit_exceeded'],
  ['a provider that refuses the key', refuse(401), 'llm.refused'],
  ['a reply that breaks off', breakOff({ message: 'Out of memory.' }), 'llm.failed'],
  ['a reply that breaks off at a limit', breakOff({ message: 'Slow.', code: 429 }), 'rate_limit_exceeded'],
])('%s', (_, play, code) => {
  test.each(Object.keys(REPLIES) as Reply[])('has one code at %s', async (route) => {
    play()
    const codes = []
    for (const stream of [false, true])
      codes.push(failureOf(await ask(route, { model: 'compatible', ...REPLIES[route], stream })))
    expect(codes).toEqual([code, code])
  })
})
