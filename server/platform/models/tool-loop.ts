import { sentence } from '#errors'
import { promptBytesOf } from './context-window.ts'
import type { Models } from './index.ts'
import { defaultContextWindow } from './known-models.ts'
import { LoopStep } from './loop-step.ts'
import { promptText } from './payable-usage.ts'
import { type OutputBudget, runTools } from './run-tools.ts'
import { showOutcomes } from './show-outcomes.ts'
import { newCallId } from './tool-calls.ts'
import { demandsCall } from './tool-choice.ts'
import {
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

/** How often a model is asked; the last time it may call no tool, so that it has to answer. */
const STEPS_MAX = 16
/** What all steps may write together, before one more is begun. */
const WRITTEN_CHARACTERS_MAX = 8 * 1024 * 1024
/** What all tools of a loop may answer together: it is kept to its end. */
const OUTPUTS_CHARACTERS_MAX = 16 * 1024 * 1024

/** What came of a call: `output` is JSON (null when it failed), `error` a sentence (null when it did not). */
export interface ToolOutcome {
  output: unknown
  successful: boolean
  error: string | null
}

export interface RunnableTool {
  definition: ToolDefinition
  /** Checks its arguments itself; never throws for what the tool does; rejects only when the signal was aborted. */
  run(input: Record<string, unknown>, signal: AbortSignal): Promise<ToolOutcome>
  /** Milliseconds after which it is given up. */
  timeoutMs: number
}

/** `toolCall` is told before the tools of a step run. A tool that ran when all was aborted is never told to have ended. */
export interface ToolSink extends ModelSink {
  toolStarted(call: ToolCall): void
  /** The outcome is bounded, can be stored, and its output is a copy: JSON, or the beginning of its text if that is too long. */
  toolEnded(call: ToolCall, outcome: ToolOutcome): void
  /** A tool threw something, which is for the log. */
  toolBroke?(call: ToolCall, error: unknown): void
}

/**
 * Has a model answer with the help of tools: what it calls is run, and it is asked again with what came of it, until it
 * calls nothing more. Without tools it is one Models.stream.
 */
export class ToolLoop {
  readonly #models: Pick<Models, 'stream' | 'watchTool'>
  readonly #target: ModelTarget
  readonly #request: ModelRequest
  readonly #tools: ReadonlyMap<string, RunnableTool>
  readonly #contextWindow: number
  readonly #trustsUsage: boolean
  readonly #steps: LoopStep[] = []
  readonly #callIds: Set<string>
  readonly #outputs: OutputBudget = { charactersLeft: OUTPUTS_CHARACTERS_MAX }

  /**
   * `tools` stand instead of the request's own, where there are any: those are not run here. Without `trustsUsage` the
   * tokens are counted here, whatever the provider reports.
   */
  constructor(
    models: Pick<Models, 'stream' | 'watchTool'>,
    target: ModelTarget,
    request: ModelRequest,
    tools: readonly RunnableTool[],
    limits: { contextWindow?: number; trustsUsage?: boolean } = {},
  ) {
    this.#models = models
    this.#target = target
    this.#request = request
    const { watchTool } = models
    const runnable = watchTool ? tools.map((tool) => watched(tool, watchTool)) : tools
    this.#tools = new Map(runnable.map((tool) => [tool.definition.name, tool]))
    this.#contextWindow = limits.contextWindow ?? defaultContextWindow(target.provider, target.model)
    this.#trustsUsage = limits.trustsUsage ?? true
    this.#callIds = new Set(request.messages.flatMap(callIdsOf))
  }

  /**
   * Goes through all steps; resolves with why the last one ended, `other` where it still wanted to call a tool. Rejects
   * as Models.stream does; what a tool does is nothing to reject for. Is called once.
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
   * What is to be paid so far, also in the middle, or after a failure or an abort: of each step what its provider told,
   * or what is counted here. Null is nothing.
   */
  async payable(hasFailed: boolean): Promise<ModelUsage | null> {
    const usages: ModelUsage[] = []
    for (const step of [...this.#steps]) {
      const usage = await step.payable(hasFailed, this.#trustsUsage)
      if (usage) usages.push(usage)
    }
    if (usages.length === 0) return null
    return {
      inputTokens: sum(usages, ({ inputTokens }) => inputTokens),
      outputTokens: sum(usages, ({ outputTokens }) => outputTokens),
    }
  }

  /** A call that is demanded is demanded once, or the model could never answer. */
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
      throw new ModelError(sentence('model.reply_too_long'))
    const step = new LoopStep(request)
    const takes = step.sinkTo(sink, this.#steps, (call) => this.#withOwnId(call))
    this.#steps.push(step)
    step.result = await this.#models.stream(this.#target, request, takes, signal)
    const { finishReason } = step.result
    // It wanted to call a tool and may not, and has said what it has to say.
    return finishReason === 'tool_calls' && request.toolChoice === 'none' ? 'other' : finishReason
  }

  /** Ids of some providers are unique in a step only. */
  #withOwnId(call: ToolCall): ToolCall {
    const id = this.#callIds.has(call.id) ? newCallId() : call.id
    this.#callIds.add(id)
    return { ...call, id }
  }

  /**
   * Runs what the last step has called. What it adds to the conversation: what the model said and called, and what came
   * of each call, in their order; nothing where nothing was called.
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
    return [assistantMessage, ...results]
  }
}

const watched = (tool: RunnableTool, watch: NonNullable<Models['watchTool']>): RunnableTool => ({
  ...tool,
  run: (input, signal) => watch(tool.definition.name, () => tool.run(input, signal)),
})

type FinishReason = ModelResult['finishReason']

const callIdsOf = (message: ModelMessage): string[] =>
  message.role === 'assistant' ? (message.toolCalls ?? []).map(({ id }) => id) : []

const sum = <Item>(items: readonly Item[], of: (item: Item) => number): number =>
  items.reduce((total, item) => total + of(item), 0)
