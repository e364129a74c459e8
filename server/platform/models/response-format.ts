import type { ModelRequest } from './types.ts'

/** Moves the response format into the system prompt, for models that cannot enforce a format. */
export function withFormatInstruction(request: ModelRequest): ModelRequest {
  const { responseFormat, system, ...rest } = request
  if (responseFormat === undefined) return request
  const instruction =
    responseFormat.type === 'json_object'
      ? 'Reply only with one JSON object, without other text or a code fence.'
      : `Reply only with JSON that matches this JSON Schema, without other text or a code fence.\n\n${JSON.stringify(responseFormat.schema)}`
  return { ...rest, system: system === undefined ? instruction : `${system}\n\n${instruction}` }
}
