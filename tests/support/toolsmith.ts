import type { Answer, Client, Person } from './client.ts'

/** Manages tools through the public API as one user. */
export interface Toolsmith {
  call(method: string, path: string, query?: Record<string, string>, body?: unknown): Promise<Answer>
  category(name?: string): Promise<string>
  /** Requests the creation of a tool. Returns the whole response. */
  submit(tool?: ToolParts): Promise<Answer>
  make(tool?: ToolParts): Promise<string>
}

/** Overrides parts of the default tool, which is a JavaScript function `main` that returns its input `text`. */
export interface ToolParts {
  framework?: string
  code?: string
  function?: string
  isClass?: boolean
  inputs?: object[]
  configuration?: object[]
  network?: string[]
  requirements?: string[]
  /** Fields of the request to add or override. */
  fields?: Record<string, unknown>
}

export const TEXT_INPUT = {
  name: 'text',
  type: 'str',
  description: 'What to say',
  required: true,
  default: null,
}
/** Runs a stored tool. The emulated provider at `baseUrl` calls the tool's function `main` without arguments. */
export const callMain = (smith: Toolsmith, toolId: string, baseUrl: string): Promise<Answer> =>
  smith.call(
    'POST',
    '/test_tool',
    { tool_id: toolId },
    {
      input_prompt: 'say: So. TOOL:main={} THEN say: Done.',
      config_items: [],
      provider: 'openai-compatible',
      model_name: 'emu',
      api_key: 'k',
      base_url: baseUrl,
    },
  )

const CODE = 'export function main({ text }) { return { text } }'

export const settingsOf = (tool: ToolParts) => ({
  function_info: {
    name: tool.function ?? 'main',
    is_async: false,
    description: 'Says it again',
    code: tool.code ?? CODE,
  },
  requirements: tool.requirements ?? [],
  deployment: {
    framework: tool.framework ?? 'javascript',
    toolkit_class: tool.isClass ?? false,
    standalone_function: !(tool.isClass ?? false),
  },
  ...(tool.network && { network: tool.network }),
})

let count = 0

export function toolsmith(server: Client, person: Person): Toolsmith {
  const { token, organizationId: org_id } = person
  const call: Toolsmith['call'] = (method, path, query = {}, body) =>
    server.call(method, `/api/tools${path}?${new URLSearchParams(query)}`, {
      token,
      ...(body !== undefined && { body }),
    })
  const made = async (asked: Promise<Answer>): Promise<string> => {
    const answer = await asked
    if (answer.status !== 201) throw new Error(`${answer.status}: ${answer.text}`)
    return answer.body.id
  }
  const category: Toolsmith['category'] = (name = `Category ${++count}`) =>
    made(call('POST', '/create_category', { org_id }, { name, description: '' }))
  let usual: Promise<string> | undefined
  const submit: Toolsmith['submit'] = async (tool = {}) => {
    usual ??= category()
    return call(
      'POST',
      '',
      { org_id },
      {
        name: `Tool ${++count}`,
        description: 'What it is for',
        category_id: await usual,
        version: '1',
        configuration: tool.configuration ?? [],
        inputs: tool.inputs ?? [TEXT_INPUT],
        outputs: { type: 'dict', description: '' },
        settings: settingsOf(tool),
        ...tool.fields,
      },
    )
  }
  return { call, category, submit, make: (tool) => made(submit(tool)) }
}
