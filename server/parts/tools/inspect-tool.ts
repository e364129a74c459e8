import type { ParameterDescriptor, ToolFunction, ToolSettings } from '#database/schema/tools.ts'
import { fail, quote } from '#errors'
import { type FoundFunction, type Sandbox, SandboxUnavailable } from '#platform/sandbox/sandbox.ts'
import { type CodeParts, codeOf } from './check-tool.ts'
import { schemaOf } from './function-schema.ts'
import { IDENTIFIER } from './parameter-names.ts'

/** A model has to read them all. */
const FUNCTIONS_MAX = 64
/** OpenAI takes no more of a function's description. */
const DESCRIPTION_CHARACTERS_MAX = 1_024

export interface InspectedTool {
  /** With what the code tells of itself. */
  settings: ToolSettings
  functions: ToolFunction[]
}

/**
 * Loads a tool's code in the sandbox and finds what a model is to be told of it. Throws tool.code_invalid, with a
 * sentence for whoever wrote it; server.unavailable where the sandbox can't run.
 */
export async function inspectTool(
  sandbox: Sandbox,
  organizationId: string,
  tool: CodeParts,
): Promise<InspectedTool> {
  const code = codeOf(tool.settings)
  const missing = await sandbox.checkRequirements(code.language, code.requirements)
  if (missing !== null) throw invalid(`settings.requirements: ${missing}`)
  const found = await whenAvailable(sandbox.inspect(organizationId, code))
  if ('error' in found) throw invalid(found.error)
  const functions = code.isClass
    ? describeClass(tool, found.functions)
    : describeFunction(tool, found.functions)
  const isAsync = found.functions.some((one) => one.isAsync)
  const { function_info: info } = tool.settings
  return { settings: { ...tool.settings, function_info: { ...info, is_async: isAsync } }, functions }
}

/** A sandbox that can't run is told to the person who waits for it. */
export const whenAvailable = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    if (error instanceof SandboxUnavailable)
      throw fail('server.unavailable', { reason: error.message }, { cause: error })
    throw error
  })

/** One function: what its inputs say is what a model is told. */
function describeFunction(
  { settings, description, inputs }: CodeParts,
  [found]: FoundFunction[],
): ToolFunction[] {
  const { name } = settings.function_info
  if (!found) throw invalid(`The code has no function ${quote(name)}.`)
  const unaccepted = inputs.find((input) => !takes(found, input.name))
  if (unaccepted)
    throw invalid(`${quote(name)} does not take ${quote(unaccepted.name)}, which inputs describes.`)
  for (const parameter of found.parameters) {
    const input = inputs.find((one) => one.name === parameter.name)
    if (parameter.required && !input)
      throw invalid(
        `${name} needs ${parameter.name}: describe it in inputs, or give it a default in the code.`,
      )
    checkGiven(found, parameter, input)
  }
  const functionDescription = settings.function_info.description || description
  return [{ name, description: shorten(functionDescription), parameters: schemaOf(inputs, []) }]
}

/** The public methods of a class: what the code says of their parameters, and inputs of the same name say better. */
function describeClass({ inputs }: CodeParts, found: FoundFunction[]): ToolFunction[] {
  if (found.length === 0) throw invalid('The class has no public methods.')
  if (found.length > FUNCTIONS_MAX)
    throw invalid(`The class has ${found.length} public methods; a tool has at most ${FUNCTIONS_MAX}.`)
  const unaccepted = inputs.find((input) => !found.some((method) => takes(method, input.name)))
  if (unaccepted)
    throw invalid(`No method of the class takes ${quote(unaccepted.name)}, which inputs describes.`)
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

/** What the code can't do without is always given. */
function checkGiven(
  { name }: FoundFunction,
  parameter: FoundFunction['parameters'][number],
  input: ParameterDescriptor | undefined,
): void {
  if (parameter.required && input && !input.required && input.default === null)
    throw invalid(
      `${name} needs ${parameter.name}: make that input required, or give it a default there or in the code.`,
    )
}

function checkName(name: string): void {
  if (!IDENTIFIER.test(name))
    throw invalid(
      `Providers do not take the name ${name.slice(0, 100)}: use letters, digits and underscores, at most 64, and do not begin with a digit or two underscores.`,
    )
}

const shorten = (text: string): string =>
  text.length <= DESCRIPTION_CHARACTERS_MAX
    ? text
    : `${text.slice(0, DESCRIPTION_CHARACTERS_MAX - 1).toWellFormed()}…`

const invalid = (reason: string) => fail('tool.code_invalid', { reason })
