import type { Tool } from '@parley/client/schemas'
import type { Body } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { formatBytes } from '../../ui/format.ts'

const t = translator('tools')

/** An exported tool. Omits the category, which belongs to the organization. */
export type ToolFile = Omit<Body<'POST /api/tools'>, 'category_id'>

/** The maximum size of a file to import. Every valid tool is smaller. */
const BYTES_MAX = 1024 * 1024

export function fileOf(tool: Tool): ToolFile {
  const { name, description, version, configuration, inputs, outputs, settings } = tool
  const { function_info: info } = settings
  return {
    name,
    description,
    version,
    configuration,
    inputs,
    outputs,
    settings: {
      ...settings,
      function_info: { name: info.name, description: info.description, code: info.code ?? '' },
    },
  }
}

/**
 * Reads an exported tool from a file. Throws an `Error` with a translated message if the file is not an exported
 * tool. The server validates the tool's content.
 */
export async function readToolFile(file: Blob): Promise<ToolFile> {
  if (file.size > BYTES_MAX) throw new Error(t('file.tooLarge', { size: formatBytes(BYTES_MAX) }))
  return parseToolFile(await file.text())
}

export function parseToolFile(text: string): ToolFile {
  const value = parse(text) as Partial<ToolFile> | null
  const code = value?.settings?.function_info?.code
  if (typeof value?.name !== 'string' || typeof code !== 'string') throw new Error(t('file.invalid'))
  const { name, description = '', version = '1.0.0', configuration = [], inputs = [] } = value
  const { outputs = { type: '', description: '' }, settings } = value
  return {
    name,
    description,
    version,
    configuration,
    inputs,
    outputs,
    settings: settings as ToolFile['settings'],
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null // reported as invalid
  }
}

export function downloadTool(tool: Tool): void {
  const address = URL.createObjectURL(
    new Blob([`${JSON.stringify(fileOf(tool), null, 2)}\n`], { type: 'application/json' }),
  )
  const link = document.createElement('a')
  link.href = address
  link.download = `${tool.name.replace(/[^\p{L}\p{N}]+/gu, '-').slice(0, 80) || 'tool'}.json`
  link.click()
  URL.revokeObjectURL(address)
}
