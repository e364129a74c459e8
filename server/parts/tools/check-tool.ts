import { isDeepStrictEqual } from 'node:util'
import type { ParameterDescriptor, ToolSettings } from '#database/schema/tools.ts'
import { fail, sentence } from '#errors'
import type { Net } from '#platform/net/index.ts'
import { NetError } from '#platform/net/index.ts'
import type { SandboxCode } from '#platform/sandbox/sandbox.ts'
import { soundsSecret } from './parameter-names.ts'
import { defaultOf, TYPE_WORDS } from './parameter-values.ts'
import type { ConfigurationDescriptor, InputDescriptor, Settings } from './schemas.ts'

/** @limit code of a tool */
const CODE_BYTES_MAX = 200 * 1024
/** Matches a DNS name (RFC 1123) or an IP address, with an optional port. */
const HOST = /^(?:[a-z\d](?:[a-z\d_.-]*[a-z\d])?\.?|\[[\da-f:.]+\])(?::\d{1,5})?$/i
/** Matches a default port. `URL.host` omits only the default port of the URL's own scheme. */
const DEFAULT_PORT = /:(?:80|443)$/

/** Validates inputs and completes omitted fields. Throws tool.invalid. */
export function checkInputs(inputs: readonly InputDescriptor[]): ParameterDescriptor[] {
  checkNames('inputs', inputs)
  return inputs.map((input, index) => checked(`inputs.${index}`, input))
}

/** Validates a configuration, and sets `secret` where it is omitted. Throws tool.invalid. */
export function checkConfiguration(configuration: readonly ConfigurationDescriptor[]): ParameterDescriptor[] {
  checkNames('configuration', configuration)
  return configuration.map((descriptor, index) => {
    const secret = descriptor.secret ?? soundsSecret(descriptor.name)
    if (secret && (descriptor.default ?? null) !== null)
      throw invalid(
        `configuration.${index}.default`,
        sentence('tool.secret_default', { name: descriptor.name }),
      )
    return { ...checked(`configuration.${index}`, descriptor), secret }
  })
}

function checkNames(field: string, descriptors: readonly { name: string }[]): void {
  const names = descriptors.map(({ name }) => name)
  const twice = names.findIndex((name, index) => names.indexOf(name) < index)
  if (twice >= 0)
    throw invalid(`${field}.${twice}.name`, sentence('tool.name_twice', { name: names[twice] ?? '' }))
}

function checked(path: string, descriptor: InputDescriptor): ParameterDescriptor {
  const { name, type, description = '', required = false, default: text = null } = descriptor
  if (text !== null && defaultOf({ type, default: text }) === undefined)
    throw invalid(`${path}.default`, sentence('tool.default_type', { kind: TYPE_WORDS[type], type }))
  return { name, type, description, required, default: text }
}

/** Validates settings. inspect-tool.ts later determines `is_async` from the code. Throws tool.invalid. */
export function checkSettings(net: Pick<Net, 'checkUrl'>, settings: Settings): ToolSettings {
  const { function_info: info, requirements = [], deployment, network = [] } = settings
  if (deployment.toolkit_class === deployment.standalone_function)
    throw invalid('settings.deployment', sentence('tool.one_form'))
  if (Buffer.byteLength(info.code) > CODE_BYTES_MAX)
    throw invalid('settings.function_info.code', sentence('tool.code_too_large', { limit: CODE_BYTES_MAX }))
  const hosts = network.map((host, index) => checkHost(net, host, index))
  return {
    function_info: { name: info.name, is_async: false, description: info.description ?? '', code: info.code },
    requirements,
    deployment,
    network: [...new Set(hosts)],
  }
}

/**
 * Normalizes a host as `URL.host` does. A name that resolves to a private address is only refused when code connects
 * to it. Throws tool.invalid.
 */
function checkHost(net: Pick<Net, 'checkUrl'>, host: string, index: number): string {
  const path = `settings.network.${index}`
  if (!HOST.test(host)) throw invalid(path, sentence('tool.host'))
  try {
    return net.checkUrl(`https://${host}`).host.replace(DEFAULT_PORT, '')
  } catch (error) {
    if (error instanceof NetError)
      throw invalid(path, sentence('tool.host_unreachable', { reason: error.message }))
    throw error
  }
}

const invalid = (path: string, message: string) =>
  fail('tool.invalid', { reason: `${path} ${message}` }, { issues: [{ path, message }] })

export function codeOf({ function_info: info, requirements, deployment }: ToolSettings): SandboxCode {
  const framework = deployment.framework.trim().toLowerCase()
  return {
    language: framework === 'javascript' || framework === 'typescript' ? framework : 'python',
    code: info.code,
    name: info.name,
    isClass: deployment.toolkit_class,
    requirements,
  }
}

export const isSameCode = (a: CodeParts, b: CodeParts): boolean =>
  isDeepStrictEqual([a.settings, a.inputs, a.description], [b.settings, b.inputs, b.description])

/** The parts of a tool that determine its functions. */
export interface CodeParts {
  description: string
  inputs: ParameterDescriptor[]
  settings: ToolSettings
}
