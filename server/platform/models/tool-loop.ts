import { reasonFor } from '#errors'
import { promptBytesOf } from './context-window.ts'
import { noText } from './failures.ts'
import { firstToBegin } from './first-to-begin.ts'
import type { Models } from './index.ts'
import { LoopStep } from './loop-step.ts'
import { mayMixThoughts } from './openai-dialects.ts'
import { promptText } from './payable-usage.ts'
import { type OutputBudget, runTools } from './run-tools.ts'
import { showOutcomes } from './show-outcomes.ts'
import { newCallId } from './tool-calls.ts'
import { demandsCall } from './tool-choice.ts'
import {
  type ImagePart,
  ModelError,
  type ModelMessage,
  type ModelRequest,
  type ModelResult,
  type ModelSink,
  type ModelTarget,
  type ModelUsage,
  type ToolCall,
  type ToolDefinition,
} from './types.ts'
import { sumUsages } from './usage.ts'

/**
 * Maximum model calls per reply. The last call disables tools, so that the model has to write its reply.
 * @limit model calls per reply
 */
const STEPS_MAX = 16
/** Maximum characters that all steps together may have generated when another step starts. */
const WRITTEN_CHARACTERS_MAX = 8 * 1024 * 1024
/** Maximum characters of all tool outputs of a loop. The outputs stay in memory until the loop ends. */
const OUTPUTS_CHARACTERS_MAX = 16 * 1024 * 1024
/** Maximum bytes of all images from tools in a loop. The prompts of all later steps contain them again. */
const IMAGES_BYTES_MAX = 10 * 1024 * 1024

/**
 * The outcome of a tool call. `output` is JSON, or null after a failure. `error` is a sentence, or null after a
 * success.
 */
export interface ToolOutcome {
  output: unknown
  successful: boolean
  error: string | null
  /** Images that the model receives beside the output. */
  images?: ImagePart[]
  /** Files that belong to the output. The loop drops them: a caller that keeps files wraps the tool. */
  files?: ToolFile[]
}

export interface ToolFile {
  /** Untrusted. */
  name: string
  data: Uint8Array
}

export interface RunnableTool {
  definition: ToolDefinition
  /** Validates the input. Reports failures as outcomes, and rejects only if the signal aborts. */
  run(input: Record<string, unknown>, signal: AbortSignal): Promise<ToolOutcome>
  /** Timeout of a call, in milliseconds. */
  timeoutMs: number
}

/**
 * Receives the output of a tool loop. `toolCall` is called before the tools of a step run. Tools that are running
 * when the loop is aborted get no `toolEnded`.
 */
export interface ToolSink extends ModelSink {
  toolStarted(call: ToolCall): void
  /**
   * `outcome` is bounded and storable. Its output is a copy: JSON, or a truncated string if the output is too long.
   */
  toolEnded(call: ToolCall, outcome: ToolOutcome): void
  /** Called if a tool throws an unexpected error, for logging. */
  toolBroke?(call: ToolCall, error: unknown): void
}

/** The models that may generate a reply: one, or the members of a route in the order in which to try them. */
export interface LoopModel<Member extends LoopMember = LoopMember> {
  members: readonly [Member, ...Member[]]
  contextWindow: number
  /** Milliseconds for the first output of each member but the last. */
  firstTokenMs?: number
}

interface LoopMember {
  target: ModelTarget
  /** If false, tokens are counted locally, whatever the provider reports. */
  trustsUsage: boolean
}

/**
 * Generates a reply with tools. Runs the model's tool calls and sends the outcomes back to the model, until the model
 * makes no more calls. Without tools, the loop is a single `Models.stream`. The member that begins the reply makes all
 * later calls.
 */
export class ToolLoop<Member extends LoopMember = LoopMember> {
  readonly #models: LoopCalls
  readonly #request: ModelRequest
  readonly #tools: ReadonlyMap<string, RunnableTool>
  readonly #contextWindow: number
  readonly #firstTokenMs: number | undefined
  #members: LoopModel<Member>['members']
  #member: Member
  readonly #steps: LoopStep[] = []
  #hasSeparated = false
  readonly #callIds: Set<string>
  readonly #outputs: OutputBudget = {
    charactersLeft: OUTPUTS_CHARACTERS_MAX,
    imageBytesLeft: IMAGES_BYTES_MAX,
  }

  /** `tools` replaces the request's own tools; the loop never runs the request's own tools. */
  constructor(
    models: LoopCalls,
    { members, contextWindow, firstTokenMs }: LoopModel<Member>,
    request: ModelRequest,
    tools: readonly RunnableTool[],
  ) {
    this.#models = models
    this.#members = members
    this.#member = members[0]
    this.#contextWindow = contextWindow
    this.#firstTokenMs = firstTokenMs
    this.#request = request
    const { watchTool } = models
    const runnable = watchTool ? tools.map((tool) => watched(tool, watchTool)) : tools
    this.#tools = new Map(runnable.map((tool) => [tool.definition.name, tool]))
    this.#callIds = new Set(request.messages.flatMap(callIdsOf))
  }

  /** The member that generates the reply, or that was tried last. */
  get member(): Member {
    return this.#member
  }

  /**
   * Runs all steps. Returns the finish reason of the last step, or `other` if the model called a tool although tools
   * were disabled. Rejects like Models.stream; tool failures don't reject. Call this once.
   */
  async run(sink: ToolSink, signal: AbortSignal): Promise<FinishReason> {
    if (this.#tools.size === 0) return this.#ask(this.#request, sink, signal)
    const tools = [...this.#tools.values()].map(({ definition }) => definition)
    let { messages } = this.#request
    for (let number = 1; ; number++) {
      const request = this.#requestOf(number, messages, tools)
      const finishReason = await this.#ask(request, sink, signal)
      const answer = await this.#answer(request, sink, signal)
      if (answer.length === 0) return finishReason
      messages = [...messages, ...answer]
    }
  }

  /**
   * The reply without the thoughts that a server left in its text and that the sink received as text. Undefined if
   * there are none.
   */
  get separated(): { content: string; reasoning: string } | undefined {
    if (!this.#hasSeparated) return undefined
    const joined = (field: 'content' | 'reasoning'): string =>
      this.#steps.flatMap(({ written }) => written[field] || []).join('\n\n')
    return { content: joined('content'), reasoning: joined('reasoning') }
  }

  /** The stop sequence that ended the reply, if the provider reported it. */
  get stopSequence(): string | undefined {
    return this.#steps.at(-1)?.result?.stopSequence
  }

  /**
   * Returns the usage to charge so far. Can be called at any time, even during the loop or after a failure. Each step
   * contributes the provider's usage or a local count. Null means no charge.
   */
  async payable(hasFailed: boolean): Promise<ModelUsage | null> {
    const usages: ModelUsage[] = []
    for (const step of [...this.#steps]) {
      const usage = await step.payable(hasFailed, this.#member.trustsUsage)
      if (usage) usages.push(usage)
    }
    if (usages.length === 0) return null
    return sumUsages(usages)
  }

  /**
   * Returns the request of a step. Only the first step can force a tool call; otherwise the model could never write
   * its reply.
   */
  #requestOf(number: number, messages: ModelMessage[], tools: ToolDefinition[]): ModelRequest {
    const { toolChoice: requestedChoice, ...rest } = this.#request
    const isOver = requestedChoice === undefined || (number > 1 && demandsCall(requestedChoice))
    const toolChoice = number === STEPS_MAX ? 'none' : isOver ? undefined : requestedChoice
    return { ...rest, messages, tools, ...(toolChoice && { toolChoice }) }
  }

  async #ask(request: ModelRequest, sink: ToolSink, signal: AbortSignal): Promise<FinishReason> {
    signal.throwIfAborted()
    if (
      sum(this.#steps, ({ written }) => written.content.length + written.reasoning.length) >
      WRITTEN_CHARACTERS_MAX
    )
      throw new ModelError(reasonFor('model.reply_too_long', { limit: WRITTEN_CHARACTERS_MAX }))
    const step = new LoopStep(request)
    const takes = step.sinkTo(sink, this.#steps, (call) => this.#withOwnId(call))
    this.#steps.push(step)
    step.result = await firstToBegin(
      this.#models.health,
      this.#members,
      (member, isLast) => {
        this.#member = member
        const timeoutMs = isLast ? undefined : this.#firstTokenMs
        return this.#models.stream(member.target, request, takes, signal, isLast, timeoutMs)
      },
      () => step.hasOutput,
    )
    this.#members = [this.#member]
    const { finishReason } = step.result
    if (mayMixThoughts(this.#member.target)) this.#separateThoughts(step)
    // If the model called a tool although tools were disabled, its text is the reply.
    return finishReason === 'tool_calls' && request.toolChoice === 'none' ? 'other' : finishReason
  }

  /** Throws a ModelError if the reply consists of thoughts. */
  #separateThoughts(step: LoopStep): void {
    if (!step.separateThoughts()) return
    this.#hasSeparated = true
    const { content, toolCalls } = step.written
    if (content === '' && toolCalls.length === 0 && step.result?.finishReason === 'stop')
      throw noText(this.#member.target)
  }

  /** Replaces an id that is already in use. Some providers' call ids are unique only within a step. */
  #withOwnId(call: ToolCall): ToolCall {
    const id = this.#callIds.has(call.id) ? newCallId() : call.id
    this.#callIds.add(id)
    return { ...call, id }
  }

  /**
   * Runs the tool calls of the latest step. Returns the messages to append: the model's message, then one result per
   * call in call order, then the images of the results. Returns [] if the step has no calls.
   */
  async #answer(request: ModelRequest, sink: ToolSink, signal: AbortSignal): Promise<ModelMessage[]> {
    const { content = '', toolCalls = [] } = this.#steps.at(-1)?.written ?? {}
    if (toolCalls.length === 0) return []
    const outcomes = await runTools(this.#tools, toolCalls, this.#outputs, sink, signal)
    const assistantMessage: ModelMessage = { role: 'assistant', content, toolCalls }
    const prompt = promptText({ ...request, messages: [...request.messages, assistantMessage] })
    const window = { contextWindow: this.#contextWindow, maxTokens: request.maxTokens }
    const outputs = showOutcomes(outcomes, promptBytesOf(window) - Buffer.byteLength(prompt))
    const results = toolCalls.map(({ id, name }, index): ModelMessage => {
      return { role: 'tool', toolCallId: id, toolName: name, output: outputs[index] ?? '' }
    })
    const images = outcomes.flatMap((outcome) => outcome.images ?? [])
    const shown: ModelMessage[] = images.length > 0 ? [{ role: 'user', content: images }] : []
    return [assistantMessage, ...results, ...shown]
  }
}

type LoopCalls = Pick<Models, 'stream' | 'watchTool' | 'health'>

const watched = (tool: RunnableTool, watch: NonNullable<Models['watchTool']>): RunnableTool => ({
  ...tool,
  run: (input, signal) => watch(tool.definition.name, () => tool.run(input, signal)),
})

type FinishReason = ModelResult['finishReason']

const callIdsOf = (message: ModelMessage): string[] =>
  message.role === 'assistant' ? (message.toolCalls ?? []).map(({ id }) => id) : []

const sum = <Item>(items: readonly Item[], of: (item: Item) => number): number =>
  items.reduce((total, item) => total + of(item), 0)
