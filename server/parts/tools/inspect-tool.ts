import type { ParameterDescriptor, ToolFunction, ToolSettings } from '#database/schema/tools.ts'
import { fail, sentence } from '#errors'
import { type FoundFunction, type Sandbox, SandboxUnavailable } from '#platform/sandbox/sandbox.ts'
import { type CodeParts, codeOf } from './check-tool.ts'
import { schemaOf } from './function-schema.ts'
import { IDENTIFIER } from './parameter-names.ts'

/**
 * Maximum number of functions. Limited because a model must read the definitions of all functions.
 * @limit functions of a tool
 */
const FUNCTIONS_MAX = 64
/** OpenAI's maximum length of a function's description, in characters. @limit description of a function in the code */
const DESCRIPTION_CHARACTERS_MAX = 1_024

export interface InspectedTool {
  /** Settings with `is_async` as found in the code. */
  settings: ToolSettings
  functions: ToolFunction[]
}

/**
 * Loads a tool's code in the sandbox and describes its functions for a model. Throws tool.code_invalid with a
 * sentence for the tool's author, and server.unavailable if the sandbox cannot run.
 */
export async function inspectTool(
  sandbox: Sandbox,
  organizationId: string,
  tool: CodeParts,
): Promise<InspectedTool> {
  const code = codeOf(tool.settings)
  const missing = await sandbox.checkRequirements(code.language, code.requirements)
  if (missing !== null) throw invalid(sentence('tool.requirements', { reason: missing }))
  const found = await whenAvailable(sandbox.inspect(organizationId, code))
  if ('error' in found) throw invalid(found.error)
  const functions = code.isClass
    ? describeClass(tool, found.functions)
    : describeFunction(tool, found.functions)
  const isAsync = found.functions.some((one) => one.isAsync)
  const { function_info: info } = tool.settings
  return { settings: { ...tool.settings, function_info: { ...info, is_async: isAsync } }, functions }
}

/** Maps SandboxUnavailable to server.unavailable. */
export const whenAvailable = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    if (error instanceof SandboxUnavailable)
      throw fail('server.unavailable', { reason: error.message }, { cause: error })
    throw error
  })

/** Describes a standalone function by the tool's inputs. Throws tool.code_invalid. */
function describeFunction(
  { settings, description, inputs }: CodeParts,
  [found]: FoundFunction[],
): ToolFunction[] {
  const { name } = settings.function_info
  if (!found) throw invalid(sentence('tool.no_function', { name }))
  const unaccepted = inputs.find((input) => !takes(found, input.name))
  if (unaccepted) throw invalid(sentence('tool.input_unknown', { name, input: unaccepted.name }))
  for (const parameter of found.parameters) {
    const input = inputs.find((one) => one.name === parameter.name)
    if (parameter.required && !input)
      throw invalid(sentence('tool.input_undescribed', { name, input: parameter.name }))
    checkGiven(found, parameter, input)
  }
  const functionDescription = settings.function_info.description || description
  return [{ name, description: shorten(functionDescription), parameters: schemaOf(inputs, []) }]
}

/**
 * Describes the public methods of a class by their code. An input overrides the parameters with the same name. Throws
 * tool.code_invalid.
 */
function describeClass({ inputs }: CodeParts, found: FoundFunction[]): ToolFunction[] {
  if (found.length === 0) throw invalid(sentence('sandbox.no_methods'))
  if (found.length > FUNCTIONS_MAX)
    throw invalid(sentence('tool.too_many_methods', { count: found.length, limit: FUNCTIONS_MAX }))
  const unaccepted = inputs.find((input) => !found.some((method) => takes(method, input.name)))
  if (unaccepted) throw invalid(sentence('tool.input_of_no_method', { input: unaccepted.name }))
  return found.map((method) => {
    checkName(method.name)
    for (const parameter of method.parameters) {
      checkName(parameter.name)
      checkGiven(
        method,
        parameter,
        inputs.find(({ name }) => name === parameter.name),
      )
    }
    const described = inputs.filter(({ name }) => takes(method, name))
    const others = method.parameters.filter(({ name }) => !described.some((input) => input.name === name))
    const takesUnknown = method.takesAny && described.length + others.length === 0
    return {
      name: method.name,
      description: shorten(method.description),
      parameters: schemaOf(described, others, takesUnknown),
    }
  })
}

const takes = ({ parameters, takesAny }: FoundFunction, name: string): boolean =>
  takesAny || parameters.some((parameter) => parameter.name === name)

/** Throws tool.code_invalid if the code requires a parameter whose input is optional and has no default. */
function checkGiven(
  { name }: FoundFunction,
  parameter: FoundFunction['parameters'][number],
  input: ParameterDescriptor | undefined,
): void {
  if (parameter.required && input && !input.required && input.default === null)
    throw invalid(sentence('tool.input_optional', { name, input: parameter.name }))
}

function checkName(name: string): void {
  if (!IDENTIFIER.test(name)) throw invalid(sentence('tool.name_unsupported', { name }))
}

const shorten = (text: string): string =>
  text.length <= DESCRIPTION_CHARACTERS_MAX
    ? text
    : `${text.slice(0, DESCRIPTION_CHARACTERS_MAX - 1).toWellFormed()}…`

const invalid = (reason: string) => fail('tool.code_invalid', { reason })
