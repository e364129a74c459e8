import type { Tool } from '@parley/client/schemas'
import type { Body } from '../../api/queries.ts'

/** A tool as a file, to take along to another organization or installation: all but its category. */
export type ToolFile = Omit<Body<'POST /api/tools'>, 'category_id'>

/** As much code and more can be in no tool. */
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

/** Whether it is a tool that works, the server says; this only knows a file that is none. Throws an error with a sentence. */
export async function readToolFile(file: Blob): Promise<ToolFile> {
  if (file.size > BYTES_MAX) throw new Error('This file is too large for a tool.')
  return parseToolFile(await file.text())
}

export function parseToolFile(text: string): ToolFile {
  const value = parse(text) as Partial<ToolFile> | null
  const code = value?.settings?.function_info?.code
  if (typeof value?.name !== 'string' || typeof code !== 'string')
    throw new Error('This file holds no tool. Choose one that was exported here.')
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
    return null // said to be no tool
  }
}

/** Has the browser keep it. */
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
