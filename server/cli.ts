import { runCommand } from './commands.ts'

await runCommand(process.argv.slice(2))
