import { fail, sentence } from '#errors'
import type { ModelRequest, ToolCall, ToolDefinition } from '#platform/models/types.ts'
import { asFunction } from './custom-tools.ts'
import { readChoice, readTool } from './tool-choice.ts'

/** A tool of a request, with the field names of OpenAI's Responses. */
export interface SentTool {
  type: string
  name?: string | null
  description?: string | null
  parameters?: object | null
  format?: { syntax?: string | null; definition?: string | null } | null
  /** Members of a `namespace`. */
  tools?: readonly SentTool[] | null
}

interface NamedChoice {
  type?: string
  name?: string
  namespace?: string | null
}

export interface SentTools {
  tools?: readonly SentTool[] | null
  tool_choice?:
    | 'auto'
    | 'none'
    | 'required'
    | (NamedChoice & { type: string; mode?: 'auto' | 'required'; tools?: readonly NamedChoice[] })
    | null
}

/** A tool as the client defined it. */
interface ClientTool {
  isCustom: boolean
  name: string
  namespace: string | null
}

/** Longest name of a function that providers accept. */
const NAME_MAX = 64
const TYPE = /^[\w.-]{1,64}$/

/**
 * The tools of a request. Providers know only functions: a custom tool becomes a function with one text, and the
 * members of a namespace become functions of their own. Tools that OpenAI itself would run are ignored.
 */
export class ClientTools {
  /** The functions that the provider receives. */
  readonly functions: ToolDefinition[] = []
  readonly #ignored = new Set<string>()
  readonly #byOffered = new Map<string, ClientTool>()
  readonly #choice: SentTools['tool_choice']

  /** Throws request.invalid for a tool without a name. */
  constructor({ tools, tool_choice: choice }: SentTools) {
    this.#choice = choice
    for (const [index, tool] of (tools ?? []).entries()) this.#add(`tools.${index}`, tool, null)
  }

  /** Names of the ignored fields, for X-Ignored-Parameters. */
  get ignored(): string[] {
    return [...this.#ignored]
  }

  /** Returns the fields of the model's request. Throws request.invalid for a choice of an unknown tool. */
  read(): Partial<ModelRequest> {
    const { functions } = this
    const tools = functions.length > 0 ? { tools: functions } : {}
    const choice = this.#choice
    if (typeof choice !== 'object' || choice === null) {
      // All tools may be ignored ones, so that there is nothing to call.
      if (choice === 'required' && functions.length === 0 && this.#ignored.size > 0)
        return this.#ignoreChoice({})
      return { ...tools, ...readChoice(choice, functions) }
    }
    if (choice.type === 'allowed_tools') return this.#readAllowed(choice)
    if (!isCallable(choice.type)) return this.#ignoreChoice(tools)
    return { ...tools, ...readChoice({ name: this.offeredName(choice) ?? '' }, functions) }
  }

  /** Returns the name of the function that stands for a tool of the client. Undefined if the request defines none. */
  offeredName({ name = '', namespace }: { name?: string; namespace?: string | null }): string | undefined {
    for (const [offered, tool] of this.#byOffered)
      if (tool.name === name && (!namespace || tool.namespace === namespace)) return offered
    return undefined
  }

  /** Returns the tool of the client that a call means. */
  toolOf({ name }: ToolCall): ClientTool {
    return this.#byOffered.get(name) ?? { isCustom: false, name, namespace: null }
  }

  #add(at: string, tool: SentTool, namespace: string | null): void {
    const { type, name } = tool
    if (!isCallable(type) && !(type === 'namespace' && tool.tools)) {
      this.#ignored.add(TYPE.test(type) ? `tools.${type}` : at)
      return
    }
    if (!name)
      throw fail('request.invalid', { reason: sentence('openai.tool_field', { field: `${at}.name` }) })
    if (type === 'namespace') {
      for (const [index, member] of (tool.tools ?? []).entries())
        this.#add(`${at}.tools.${index}`, member, name)
      return
    }
    const isCustom = type === 'custom'
    const offered = namespace === null ? name : this.#freeName(namespace, name)
    this.#byOffered.set(offered, { isCustom, name, namespace })
    this.functions.push({
      ...(isCustom ? asFunction({ ...tool, name }) : readTool({ ...tool, name })),
      name: offered,
    })
  }

  /** Members of two namespaces may have the same name. */
  #freeName(namespace: string, name: string): string {
    if (!this.#byOffered.has(name)) return name
    const long = `${namespace}__${name}`.replace(/[^\w-]/g, '_').slice(-NAME_MAX)
    for (let number = 2, free = long; ; number++) {
      if (!this.#byOffered.has(free)) return free
      free = `${long.slice(0, NAME_MAX - 4)}_${number}`
    }
  }

  #readAllowed({ mode, tools: allowed = [] }: Exclude<SentTools['tool_choice'], string | null | undefined>) {
    const names = allowed
      .filter(({ type }) => type === undefined || isCallable(type))
      .map((tool) => this.offeredName(tool))
    if (names.includes(undefined)) throw fail('request.invalid', { reason: sentence('openai.allowed_tools') })
    const functions = this.functions.filter(({ name }) => names.includes(name))
    if (functions.length === 0) return this.#ignoreChoice({})
    return { tools: functions, ...readChoice(mode ?? 'auto', functions) }
  }

  #ignoreChoice(rest: Partial<ModelRequest>): Partial<ModelRequest> {
    this.#ignored.add('tool_choice')
    return rest
  }
}

const isCallable = (type: string): boolean => type === 'function' || type === 'custom'
