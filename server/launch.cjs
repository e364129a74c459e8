#!/usr/bin/env node
const { spawn } = require('node:child_process')
const { existsSync } = require('node:fs')
const { join } = require('node:path')
const { cacheFolder, findNode } = require('./find-node.cjs')

/*
 * The command `parley`: runs the command line on Node 24 with the flags that limit memory (docs/decisions/0006). Plain
 * JavaScript for Node 20, which cannot load TypeScript. A release has cli.js, a checkout cli.ts. `npm start` uses `exec`,
 * so that npm signals this process rather than a shell; cmd.exe has no `exec` and runs the alternative after `||`.
 */

const FLAGS = ['--max-semi-space-size=24', '--heap-growing-percent=75', '--wasm-tiering-budget=100000000']
const ENVIRONMENT = {
  // Keeps compiled modules, also those of worker threads: half of the CPU time of a start.
  NODE_COMPILE_CACHE: join(cacheFolder(), 'compiled'),
}

function launch() {
  const node = findNode()
  const program = ['cli.js', 'cli.ts'].map((name) => join(__dirname, name)).find((path) => existsSync(path))
  const args = [...process.execArgv, ...FLAGS, program, ...process.argv.slice(2)]
  const env = { ...ENVIRONMENT, ...process.env }
  if (process.execve) return replaceProcess(node, args, env)
  const child = spawn(node, args, { env, stdio: 'inherit' })
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  process.on('SIGINT', () => {}) // the terminal also sends it to the child
  child.on('exit', (code) => {
    process.exitCode = code ?? 1
  })
}

/** Keeps the process id, so that signals need no forwarding. */
function replaceProcess(node, args, env) {
  process.removeAllListeners('warning') // execve warns that it is experimental
  process.execve(node, [node, ...args], env)
}

try {
  launch()
} catch (error) {
  process.stderr.write(`parley: ${error.message}\n`)
  process.exitCode = 1
}
