import { startProvider } from './index.ts'

/** Runs the emulated provider in a separate process: `PORT=9000 node main.ts`. */
const provider = await startProvider({ port: Number(process.env['PORT'] ?? 9000), record: false })
process.stdout.write(`emulated provider at ${provider.url}\n`)
