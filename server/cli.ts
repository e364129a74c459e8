#!/usr/bin/env node
import { enableCompileCache } from 'node:module'

enableCompileCache()

const NODE_MAJOR_MIN = 24
if (Number(process.versions.node.split('.')[0]) < NODE_MAJOR_MIN) {
  process.stderr.write(
    `Parley requires Node ${NODE_MAJOR_MIN} or later, and this is ${process.version}. Start it with npm start, which uses the Node ${NODE_MAJOR_MIN} that npm installed, or install Node ${NODE_MAJOR_MIN}.\n`,
  )
  process.exit(1)
}

const { runCommand } = await import('./commands.ts')
await runCommand(process.argv.slice(2))
