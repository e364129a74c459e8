import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { agentKeeper } from '#tests/support/agents.ts'
import { titledChat } from '#tests/support/chats.ts'
import { librarian, textSource } from '#tests/support/knowledge.ts'
import { openReady } from '#tests/support/live-socket.ts'
import { type CountedCosts, type MessageCosts, openCounter } from '#tests/support/message-costs.ts'
import { needs } from '#tests/support/programs.ts'
import { toolsmith } from '#tests/support/toolsmith.ts'

/*
 * The budgets in message-costs.json are exact, except for bytes (docs/performance.md). A change that deliberately
 * costs more updates them, so that reviewers see it.
 */

const BUDGETS: Record<string, MessageCosts> = JSON.parse(
  readFileSync(join(import.meta.dirname, 'message-costs.json'), 'utf8'),
)
/** The tolerance for bytes, because numbers in responses vary in length. */
const BYTES_OFF = 0.02

let counted: Map<string, CountedCosts>

describe('a message costs no more than its budget', needs('PostgreSQL'), () => {
  beforeAll(async () => {
    const counter = await openCounter()
    const { server, provider } = counter
    const { person, make } = await agentKeeper(server)
    const model_id = await server.addModel(person, {
      provider: 'openai-compatible',
      version: 'emu-n20',
      config: { base_url: `${provider.url}/v1`, capabilities: ['text', 'tools'] },
    })
    const live = await openReady(server.url, person.token)
    const library = librarian(server, person)
    const kbId = await library.create({
      sources: [textSource('Tides', 'High tide is at noon.'), textSource('Gulls', 'Gulls nest in May.')],
    })
    // Wait for the last ingestion event, which doesn't belong to a message.
    while ((await live.until('kb.ingestion')).at(-1).data.status !== 'ready');
    live.socket.terminate()
    const toolId = await toolsmith(server, person).make()
    const withTool = await make({ model_id, tools: [{ tool_id: toolId }] })
    const withKnowledge = await make({ model_id, knowledge_base_ids: [kbId] })
    const inChat = async (query: Record<string, string>) => ({
      ...query,
      chat_id: await titledChat(server, person),
    })
    const ask = (query: Record<string, string>, content: string, lastEvent?: string) => ({
      person,
      query,
      body: { content },
      ...(lastEvent && { lastEvent }),
    })
    await counter.count('new chat', ask({ model_id }, 'Hello', 'chat.title_updated'))
    await counter.count('known chat', ask(await inChat({ model_id }), 'Hello'))
    const call = 'TOOL:main={"text":"tide"} THEN say: Here it is.'
    await counter.count('agent with a tool', ask(await inChat({ agent_id: withTool }), call))
    await counter.count(
      'agent with a knowledge base',
      ask(await inChat({ agent_id: withKnowledge }), 'When is high tide?'),
    )
    counted = await counter.close()
  })

  test.each(Object.entries(BUDGETS))('%s', (name, budget) => {
    const { costs, texts } = counted.get(name) as CountedCosts
    expect(withoutBytes(costs), added(costs, texts, budget)).toEqual(withoutBytes(budget))
    for (const bytes of ['parameterBytes', 'streamBytes'] as const)
      expect(
        Math.abs(costs[bytes] - budget[bytes]) / budget[bytes],
        `${bytes}: ${costs[bytes]}`,
      ).toBeLessThan(BYTES_OFF)
  })
})

const withoutBytes = ({ parameterBytes: _parameters, streamBytes: _stream, ...exact }: MessageCosts) => exact

/** Returns the statements that exceed the budget, to explain a failure. */
function added({ statements }: MessageCosts, texts: CountedCosts['texts'], budget: MessageCosts): string {
  const over = Object.keys(statements).filter((name) => statements[name] !== budget.statements[name])
  const lines = over.map(
    (name) =>
      `${name}: ${statements[name]} instead of ${budget.statements[name] ?? 0}, one of\n${[...(texts.get(name) ?? [])].join('\n')}`,
  )
  return lines.join('\n\n')
}
