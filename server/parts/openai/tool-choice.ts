import { fail, sentence } from '#errors'
import type { ModelRequest } from '#platform/models/types.ts'

interface Function {
  name: string
  description?: string | null
  parameters?: object | null
}

export const readTool = ({ name, description, parameters }: Function) => ({
  name,
  description: description ?? '',
  parameters: (parameters ?? { type: 'object', properties: {} }) as Record<string, unknown>,
})

/** Converts `tool_choice`. Throws request.invalid if it requires a tool that the request doesn't define. */
export function readChoice(
  choice: 'auto' | 'none' | 'required' | { name: string } | null | undefined,
  tools: readonly { name: string }[],
): Partial<ModelRequest> {
  if (!choice) return {}
  const demanded = tools.filter(({ name }) => typeof choice === 'string' || name === choice.name)
  if (demanded.length === 0 && choice !== 'auto' && choice !== 'none')
    throw fail('request.invalid', { reason: sentence('openai.tool_choice') })
  return { toolChoice: typeof choice === 'object' ? { name: choice.name } : choice }
}
