import { enableCompileCache } from 'node:module'

enableCompileCache()

const { runCommand } = await import('./commands.ts')
await runCommand(process.argv.slice(2))
