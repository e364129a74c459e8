import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createServer } from 'vite'
import { findFreePort } from '#tests/support/free-port.ts'
import { startProvider } from '#tests/support/provider/index.ts'

/*
 * `npm run dev`: runs the server with restarts on changes, the console with hot module replacement, and an emulated
 * provider, all at one address. Ctrl-C stops them all. Settings are read from the environment and .env, as for `npm
 * start`.
 */

const ROOT = join(import.meta.dirname, '..')
const CONSOLE = join(ROOT, 'console')
const LOOPBACK = '127.0.0.1'

const port = Number(process.env['PORT'] ?? 3000)
const address = `http://localhost:${port}`
const serverPort = await findFreePort()
// The console's vite.config.ts proxies the server's paths to this address.
process.env['PARLEY_URL'] = `http://${LOOPBACK}:${serverPort}`

const provider = await startProvider({ record: false })
const vite = await createServer({
  configFile: join(CONSOLE, 'vite.config.ts'),
  // Node loads TypeScript itself, so Vite writes no bundled configuration next to the packages.
  configLoader: 'native',
  server: { host: LOOPBACK, port, strictPort: true },
  logLevel: 'warn',
})
await vite.listen()

/** Defaults for the server; the environment overrides them. */
const DEFAULTS = {
  ADMIN_PASSWORD: 'administrator',
  ALLOW_PRIVATE_NETWORK: '127.0.0.0/8',
  LOG_LEVEL: 'warn',
  OPENAI_API_KEY: 'of-the-emulated-provider',
  OPENAI_BASE_URL: `${provider.url}/v1`,
  RATE_LIMIT_IP_PER_MINUTE: '0',
  RATE_LIMIT_USER_PER_HOUR: '0',
}
// In a watched process, each worker thread reports its modules to the main thread, which would mistake the reports for
// messages of the embedded database. Therefore, turn the reports off and watch the folder instead.
const unreported = 'data:text/javascript,delete process.env.WATCH_REPORT_DEPENDENCIES'
const watching = ['--watch-path=server', '--watch-preserve-output', '--import', unreported]
// The server's banner prints the address of the console.
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

// Vite's own handlers would exit this process without stopping the server.
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
