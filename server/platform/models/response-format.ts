import type { ModelRequest } from './types.ts'

/** Moves the response format into the system prompt, for models that cannot enforce it. */
export function withFormatInstruction(request: ModelRequest): ModelRequest {
  const { responseFormat, system, ...rest } = request
  if (responseFormat === undefined) return request
  const instruction =
    responseFormat.type === 'json_object'
      ? 'Answer with one JSON object and nothing else: no words around it, no code fence.'
      : `Answer with JSON that fits this JSON Schema and with nothing else: no words around it, no code fence.\n\n${JSON.stringify(responseFormat.schema)}`
  return { ...rest, system: system === undefined ? instruction : `${system}\n\n${instruction}` }
}
