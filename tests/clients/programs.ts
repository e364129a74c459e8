import { join } from 'node:path'

/** Programs of other projects, run in a process of their own. */
const PACKAGES = join(import.meta.dirname, 'node_modules')

/** MCP's conformance suite. */
export const CONFORMANCE_PROGRAM = join(PACKAGES, '@modelcontextprotocol/conformance/dist/index.js')
/** MCP's inspector. */
export const INSPECTOR_PROGRAM = join(
  PACKAGES,
  '@modelcontextprotocol/inspector/clients/launcher/build/index.js',
)
