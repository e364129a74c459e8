const { spawn } = require('node:child_process')
const { join } = require('node:path')
const { linkNode } = require('../scripts/link-node.cjs')

/*
 * Runs the command line on the Node that npm has installed. In a shell started before npm 10's links were repaired,
 * this file runs on Node 20, which cannot load TypeScript. Then the server runs as a child process, and signals are
 * forwarded. `npm start` uses `exec`, so npm signals this process rather than a shell, and waits for it. cmd.exe has
 * no `exec` and runs the alternative after `||`.
 */
const node = linkNode(join(__dirname, '..'))

if (node === process.execPath || node === null) import('./cli.ts')
else {
  const args = [...process.execArgv, join(__dirname, 'cli.ts'), ...process.argv.slice(2)]
  const child = spawn(node, args, { stdio: 'inherit' })
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  process.on('SIGINT', () => {}) // the terminal also sends it to the child
  child.on('exit', (code) => {
    process.exitCode = code ?? 1
  })
}
