import { fail } from '#errors'
import type { EventStream } from '#platform/http/define-route.ts'
import { openAiError } from '#platform/http/wire-errors.ts'
import { EventLog } from '#platform/streams/event-log.ts'
import type { Sender } from '../agents/index.ts'
import type { Outcome } from '../llm/index.ts'
import { finishOf, usageOf } from './chat-completions.ts'
import { readChatRequest } from './chat-request.ts'
import type { CompletionRequest } from './completion-schemas.ts'
import { generate, type OpenAiDependencies } from './generate.ts'
import { ignoredHeader, withIgnored } from './review-parameters.ts'

/**
 * Implements OpenAI's older completions, as one response or streamed. The prompt is the message of a user.
 * https://platform.openai.com/docs/api-reference/completions
 */
export async function complete(
  deps: OpenAiDependencies,
  sender: Sender,
  { prompt, ...body }: CompletionRequest,
  left: AbortSignal,
) {
  const content = Array.isArray(prompt) ? (prompt[0] ?? '') : prompt
  const { request } = await readChatRequest(deps.services, sender, {
    ...body,
    messages: [{ role: 'user', content }],
  })
  const abandoned = new AbortController()
  const log = new EventLog()
  const texts: string[] = []
  let head: object | undefined
  const send = (text: string, finishReason: string | null = null): void =>
    log.append('', JSON.stringify({ ...head, choices: [choiceOf(text, finishReason)] }))
  const sink = {
    text(text: string) {
      texts.push(text)
      if (head) send(text)
    },
  }
  const call = { name: body.model, request }
  const signal = AbortSignal.any([left, abandoned.signal])
  const { id, created, model, ended, ignored } = await generate(deps, sender, call, sink, signal)
  head = { id: `cmpl-${id}`, object: 'text_completion', created, model }
  if (body.stream) {
    for (const text of texts) send(text)
    void ended.then((outcome) => {
      if (outcome.failure) log.append('', JSON.stringify(openAiError(outcome.failure)))
      else {
        send('', finishOf(outcome))
        if (body.stream_options?.include_usage)
          log.append('', JSON.stringify({ ...head, choices: [], usage: usageOf(outcome) }))
        log.append('', '[DONE]')
      }
      log.end()
    })
    return { log, named: false, abandoned, ...ignoredHeader(ignored) } satisfies EventStream
  }
  const outcome: Outcome = await ended
  if (left.aborted) throw fail('request.abandoned')
  if (outcome.failure) throw outcome.failure
  return withIgnored(
    {
      id: `cmpl-${id}`,
      object: 'text_completion' as const,
      created,
      model,
      choices: [choiceOf(outcome.content, finishOf(outcome))],
      usage: usageOf(outcome),
    },
    ignored,
  )
}

const choiceOf = (text: string, finishReason: string | null) => ({
  index: 0,
  text,
  logprobs: null,
  finish_reason: finishReason,
})
