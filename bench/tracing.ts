import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { findFreePort } from '../tests/support/free-port.ts'
import { compareVariants } from './compare-variants.ts'
import { startNode } from './processes.ts'

/*
 * Measures the cost of tracing in CPU seconds of the server per 1,000 tokens:
 *
 * node bench/tracing.ts --rounds 5 --before ../another-checkout
 *
 * Compares the server with and without OTEL_EXPORTER_OTLP_ENDPOINT and, with `--before`, the server of another
 * checkout. The collector is a separate process that accepts everything.
 */

const { values: flags } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '5' },
    before: { type: 'string' },
  },
})

async function measure(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-collector-'))
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  const collector = startNode([join(import.meta.dirname, 'tracing.ts'), '--', 'collect'], {
    environment: { PORT: String(port) },
    logFile: join(folder, 'collector.log'),
  })
  await collector.ready(url)
  const variants = {
    ...(flags.before !== undefined && { before: { directory: flags.before } }),
    off: {},
    on: { environment: { OTEL_EXPORTER_OTLP_ENDPOINT: url } },
  }
  await compareVariants(variants, 'off', {
    loadOf: () => ({ connections: 50, gapMs: 0 }),
    rounds: Number(flags.rounds),
    seconds: Number(flags.seconds),
  })
  await collector.stop()
  rmSync(folder, { recursive: true, force: true })
}

/** Runs a collector that reads and discards everything. */
function collect(): void {
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'))
  })
  server.listen(Number(process.env['PORT']), '127.0.0.1')
}

if (process.argv.at(-1) === 'collect') collect()
else await measure()
