import { readPassages } from '#platform/models/prompt-elements.ts'
import { type LoopbackServer, listen, readBody } from '#tests/support/mcp/index.ts'
import { behaviourOf } from '#tests/support/provider/behaviour.ts'
import { openAi, type ProviderRequest } from '#tests/support/provider/formats.ts'

/** What the model says when it is asked just that. */
export interface Answer {
  asked: string
  /**
   * `[[Returns]]` is the citation of the passage of that document. Tools that are called come first, as the emulated
   * provider is told of them: `TOOL:clock={} THEN say: It is late.`
   */
  says: string
  /** The name of the one model that says so. Default: all. */
  by?: string
}

type Message = NonNullable<ProviderRequest['messages']>[number]

/** A provider on loopback that speaks OpenAI's format, and knows what to say. */
export const startModel = (answers: readonly Answer[]): Promise<LoopbackServer> =>
  listen(async (request, response) => {
    const body = (await readBody(request)) as ProviderRequest & { model: string; messages: Message[] }
    const at = body.messages.findLastIndex(({ role }) => role === 'user')
    const messages = body.messages.with(at, {
      role: 'user',
      content: answerTo(textOf(body.messages[at]), body.model, answers),
    })
    const inputTokens = Math.ceil(JSON.stringify(body.messages).length / 4)
    const {
      head,
      body: said,
      tail,
    } = openAi.script(body.model, { ...body, messages }, behaviourOf(body.model), inputTokens)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end([...head, ...said, ...tail].join(''))
  })

function answerTo(message: string, model: string, answers: readonly Answer[]): string {
  const { asked, passages } = readPassages(message)
  const found = answers.find((answer) => answer.asked === asked.trim() && (answer.by ?? model) === model)
  if (!found) return 'say: Gladly. Tell me a little more about it.'
  const told = found.says.startsWith('TOOL:') ? found.says : `say: ${found.says}`
  return told.replace(/ \[\[(.+?)\]\]/g, (_, name: string) => {
    const passage = passages.find(({ document }) => document === name)
    return passage ? ` [${passage.number}]` : ''
  })
}

function textOf(message: Message | undefined): string {
  const content = message?.content
  if (typeof content === 'string') return content
  return Array.isArray(content) ? content.map((part: { text?: string }) => part.text ?? '').join('') : ''
}
