import type { ToolFunction } from '#database/schema/tools.ts'
import type { RunnableTool, ToolOutcome } from '#platform/models/tool-loop.ts'
import { type Sandbox, type SandboxOutcome, SandboxUnavailable } from '#platform/sandbox/sandbox.ts'
import { type Mask, maskOf } from '#platform/secrets/mask-secrets.ts'
import { codeOf } from './check-tool.ts'
import { readArguments } from './function-schema.ts'
import type { ToolRow } from './schemas.ts'
import type { ConfigNow } from './tool-config.ts'

/**
 * Time limit of a call, including the wait for a sandbox slot. The sandbox has a shorter limit for running the code.
 */
const TIMEOUT_MS = 60_000
/** Maximum length of printed output in an error, in characters. Only the end of longer output is included. */
const PRINTED_CHARACTERS_MAX = 4_000

/**
 * Returns the functions of a tool for a model. If `configured` is an error, each call fails with it. `organizationId` is
 * the caller's organization, whose sandbox slots the calls use.
 */
export function runnableTools(
  sandbox: Sandbox,
  row: ToolRow,
  configured: ConfigNow,
  organizationId: string,
): RunnableTool[] {
  const mask = maskOf('error' in configured ? [] : configured.secrets)
  const isForeign = row.organizationId !== organizationId
  const run = async (
    { name, parameters }: ToolFunction,
    given: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<ToolOutcome> => {
    if ('error' in configured) return failed(configured.error)
    const input = readArguments(parameters, given)
    if ('error' in input) return failed(input.error)
    const code = codeOf(row.settings)
    const call = {
      code,
      method: code.isClass ? name : null,
      input: input.values,
      config: configured.values,
      network: row.settings.network ?? [],
    }
    try {
      return outcomeOf(await sandbox.run(organizationId, call, signal), mask, isForeign)
    } catch (error) {
      if (error instanceof SandboxUnavailable) return failed(error.message)
      throw error
    }
  }
  return row.functions.map((one) => ({
    definition: one,
    timeoutMs: TIMEOUT_MS,
    run: (given, signal) => run(one, given, signal),
  }))
}

const failed = (error: string): ToolOutcome => ({ output: null, successful: false, error })

/** Converts the sandbox's outcome, with secrets masked. The output of a successful call is never null. */
function outcomeOf(outcome: SandboxOutcome, mask: Mask, isForeign: boolean): ToolOutcome {
  const printed = mask.text(outcome.printed).trim()
  if (!outcome.ok) {
    const error = mask.text(isForeign ? withoutLocations(outcome.error) : outcome.error)
    const details =
      printed === '' || isForeign ? '' : `\n\nPrinted output:\n${printed.slice(-PRINTED_CHARACTERS_MAX)}`
    return failed((error + details).toWellFormed())
  }
  const output = mask.value(outcome.output)
  if (output !== null && output !== undefined) return { output, successful: true, error: null }
  const explanation =
    printed === '' ? 'The tool returned nothing.' : `The tool returned nothing. Printed output:\n${printed}`
  return { output: explanation, successful: true, error: null }
}

/** Removes the stack trace, which only users who may read the code may see. */
const withoutLocations = (error: string): string => error.split('\n', 1)[0] ?? ''
