import { fail } from '#errors'
import type { File } from '#platform/http/define-route.ts'
import type { Sender } from '../agents/index.ts'
import type { OpenAiDependencies } from './generate.ts'
import { refuseFields } from './refused-fields.ts'
import { CONTENT_TYPES, type SpeechRequest } from './speech-schemas.ts'

/**
 * Implements OpenAI's speech. https://platform.openai.com/docs/api-reference/audio/createSpeech Throws
 * openai.only_agent, llm.not_found, openai.cannot_speak, and the errors of PaidCalls.generateSpeech.
 */
export async function speak(
  { models, calls }: Pick<OpenAiDependencies, 'models' | 'calls'>,
  { scope, deployment }: Sender,
  { model: name, input, voice, instructions, speed, response_format: format, ...rest }: SpeechRequest,
): Promise<File> {
  if (deployment) throw fail('openai.only_agent')
  refuseFields(rest)
  const model = await models.findNamed(scope.organizationId, name)
  if (!model.capabilities.includes('speech')) throw fail('openai.cannot_speak')
  const spoken = {
    input,
    voice,
    format: format ?? 'mp3',
    ...(instructions && { instructions }),
    ...(speed && { speed }),
  }
  const { data } = await calls.generateSpeech(scope, model, spoken)
  return { name: `speech.${spoken.format}`, contentType: CONTENT_TYPES[spoken.format], content: data }
}
