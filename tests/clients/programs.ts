import { join } from 'node:path'

/** Programs of other projects, run in a process of their own. */
const PACKAGES = join(import.meta.dirname, 'node_modules')

/** MCP's conformance suite. */
export const CONFORMANCE_PROGRAM = join(PACKAGES, '@modelcontextprotocol/conformance/dist/index.js')
/** MCP's inspector for the command line. */
export const INSPECTOR_FOLDER = join(PACKAGES, '@modelcontextprotocol/inspector-cli')
/** Packages that the inspector requires. */
export const INSPECTOR_PACKAGES = PACKAGES
