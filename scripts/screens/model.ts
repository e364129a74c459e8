import { readPassages } from '#platform/models/prompt-elements.ts'
import { type LoopbackServer, listen, readBody } from '#tests/support/mcp/index.ts'
import { behaviourOf } from '#tests/support/provider/behaviour.ts'
import { openAi, type ProviderRequest } from '#tests/support/provider/formats.ts'

/** A canned answer of the emulated model. */
export interface Answer {
  asked: string
  /**
   * `[[Returns]]` becomes a citation of that document's passage. Tool calls precede the text, in the syntax of the
   * emulated provider: `TOOL:clock={} THEN say: It is late.`
   */
  says: string
  /** The only model that gives this answer. By default, all do. */
  by?: string
}

type Message = NonNullable<ProviderRequest['messages']>[number]

/** Starts an emulated provider on loopback that uses OpenAI's format and gives the canned answers. */
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
