const { spawn } = require('node:child_process')
const { join } = require('node:path')
const { linkNode } = require('../scripts/link-node.cjs')

/* Runs the command line on the Node that npm brings. A shell that was started before npm 10's links are mended still
 * runs this file on Node 20, which does not load TypeScript: then the server is a child, and signals are passed on.
 * `npm start` runs it with `exec`, so npm signals this process and not a shell, and waits for its end. cmd.exe, which has
 * no `exec`, runs the alternative after `||`. */
const node = linkNode(join(__dirname, '..'))

if (node === process.execPath || node === null) import('./cli.ts')
else {
  const args = [...process.execArgv, join(__dirname, 'cli.ts'), ...process.argv.slice(2)]
  const child = spawn(node, args, { stdio: 'inherit' })
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  process.on('SIGINT', () => {}) // the terminal sends it to the child, too
  child.on('exit', (code) => {
    process.exitCode = code ?? 1
  })
}
