import { fail } from '#errors'
import type { Sender } from '../agents/index.ts'
import type { OpenAiDependencies } from './generate.ts'
import type { ImageRequest } from './image-schemas.ts'
import { refuseFields } from './refused-fields.ts'

/**
 * Implements OpenAI's image generation. https://platform.openai.com/docs/api-reference/images/create Throws
 * openai.only_agent, llm.not_found, openai.cannot_draw, and the errors of PaidCalls.generateImage.
 */
export async function generateImage(
  { models, calls }: Pick<OpenAiDependencies, 'models' | 'calls'>,
  { scope, deployment }: Sender,
  { model: name, prompt, ...rest }: ImageRequest,
) {
  if (deployment) throw fail('openai.only_agent')
  refuseFields(rest)
  const model = await models.findNamed(scope.organizationId, name)
  if (!model.capabilities.includes('image')) throw fail('openai.cannot_draw')
  const { data, mimeType, usage } = await calls.generateImage(scope, model, prompt)
  const { inputTokens, outputTokens } = usage
  return {
    created: Math.floor(Date.now() / 1000),
    data: [{ b64_json: Buffer.from(data).toString('base64') }],
    output_format: mimeType.replace('image/', ''),
    usage: {
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      total_tokens: inputTokens + outputTokens,
    },
  }
}
