import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createServer } from 'vite'
import { findFreePort } from '#tests/support/free-port.ts'
import { startProvider } from '#tests/support/provider/index.ts'

/*
 * The server, restarted when a file of it changes, the console with hot module replacement, and an emulated provider,
 * all behind one address: `npm run dev`. Ctrl-C ends all of them. Settings come from the environment and .env, as for
 * `npm start`.
 */

const ROOT = join(import.meta.dirname, '..')
const CONSOLE = join(ROOT, 'console')
const LOOPBACK = '127.0.0.1'

const port = Number(process.env['PORT'] ?? 3000)
const address = `http://localhost:${port}`
const serverPort = await findFreePort()
// The console's vite.config.ts passes the server's paths on to it.
process.env['PARLEY_URL'] = `http://${LOOPBACK}:${serverPort}`

const provider = await startProvider({ record: false })
const vite = await createServer({
  configFile: join(CONSOLE, 'vite.config.ts'),
  // Node reads TypeScript, and so nothing is written beside the packages.
  configLoader: 'native',
  server: { host: LOOPBACK, port, strictPort: true },
  logLevel: 'warn',
})
await vite.listen()

/** What serves here unless the environment says otherwise. */
const DEFAULTS = {
  ADMIN_PASSWORD: 'administrator',
  ALLOW_PRIVATE_NETWORK: '127.0.0.0/8',
  LOG_LEVEL: 'warn',
  OPENAI_API_KEY: 'of-the-emulated-provider',
  OPENAI_BASE_URL: `${provider.url}/v1`,
  RATE_LIMIT_IP_PER_MINUTE: '0',
  RATE_LIMIT_USER_PER_HOUR: '0',
}
// Node's watcher has each thread report its modules to the one that started it, which would take that for an answer of
// the embedded database. So the folder is watched, and nothing is reported.
const unreported = 'data:text/javascript,delete process.env.WATCH_REPORT_DEPENDENCIES'
const watching = ['--watch-path=server', '--watch-preserve-output', '--import', unreported]
// The banner that it prints has the address of the console.
const server = spawn(process.execPath, [...watching, 'server/cli.ts', 'start'], {
  cwd: ROOT,
  env: {
    ...DEFAULTS,
    ...process.env,
    PORT: String(serverPort),
    HOST: LOOPBACK,
    BASE_URL: address,
    CONSOLE_BUILD: '0',
  },
  stdio: 'inherit',
})

// Vite would end this process alone and leave the server behind.
process.removeAllListeners('SIGTERM')
process.stdin.removeAllListeners('end')

const isOver = new Promise<void>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve())
  server.once('exit', () => resolve())
})
await isOver
if (server.exitCode === null && server.signalCode === null) {
  const exited = once(server, 'exit')
  server.kill('SIGTERM')
  await exited
}
await Promise.all([vite.close(), provider.close()])
process.exit(0)
