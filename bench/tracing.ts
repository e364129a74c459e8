import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { findFreePort } from '../tests/support/free-port.ts'
import { generateLoad } from './load.ts'
import { startParley, type Variant } from './parley.ts'
import { type Case, type Peer, REPLY_TOKENS } from './peers/peer.ts'
import { readProcessTree, startNode } from './processes.ts'

/*
 * Measures the cost of tracing in CPU seconds of the server per 1,000 tokens:
 *
 * node bench/tracing.ts --rounds 5 --before ../another-checkout
 *
 * Compares the server with and without OTEL_EXPORTER_OTLP_ENDPOINT and, with `--before`, the server of another
 * checkout. Each has its own PostgreSQL, and they alternate. The collector is a separate process that accepts
 * everything. Compare the ratios, because the absolute values depend on the machine.
 */

const CASE: Case = { connections: 50, gapMs: 0 }
const WARM_UP_SECONDS = 1

const { values: flags } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '5' },
    before: { type: 'string' },
  },
})

async function measure(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'))
  const start = async (name: string, script: string, parameters: string[], path: string) => {
    const port = await findFreePort()
    const server = startNode([join(import.meta.dirname, script), ...parameters], {
      environment: { PORT: String(port) },
      logFile: join(folder, `${name}.log`),
    })
    await server.ready(`http://127.0.0.1:${port}${path}`)
    return { server, url: `http://127.0.0.1:${port}` }
  }
  const provider = await start('provider', '../tests/support/provider/main.ts', [], '/v1/models')
  const collector = await start('collector', 'tracing.ts', ['--', 'collect'], '/')
  const variants: Record<string, Variant> = {
    ...(flags.before !== undefined && { before: { directory: flags.before } }),
    off: {},
    on: { environment: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } },
  }
  const peers: [string, Peer][] = []
  for (const [name, variant] of Object.entries(variants)) {
    const own = join(folder, name)
    mkdirSync(own)
    peers.push([name, await startParley({ providerUrl: provider.url, folder: own }, variant)])
  }
  const spent = new Map<string, number[]>(peers.map(([name]) => [name, []]))
  for (let round = 1; round <= Number(flags.rounds); round++)
    for (const [name, peer] of peers) {
      const cpu = await cpuPerThousandTokens(peer)
      spent.get(name)?.push(cpu)
      console.error(`round ${round} ${name}: ${cpu.toFixed(5)}`)
    }
  const off = medianOf(spent.get('off') ?? [])
  for (const [name, values] of spent)
    console.log(
      `${name.padEnd(7)} ${medianOf(values).toFixed(5)} CPU-s per 1,000 tokens, ratio to off ${(medianOf(values) / off).toFixed(2)}`,
    )
  for (const [, peer] of peers) await peer.stop()
  await Promise.all([provider.server.stop(), collector.server.stop()])
  rmSync(folder, { recursive: true, force: true })
}

async function cpuPerThousandTokens(peer: Peer): Promise<number> {
  const sample = (): number => readProcessTree(peer.pid as number).cpuSeconds
  const shape = {
    connections: CASE.connections,
    spreadSeconds: 0,
    warmUpSeconds: WARM_UP_SECONDS,
    seconds: Number(flags.seconds),
  }
  const load = await generateLoad(await peer.target(CASE), shape, sample)
  const problems = [...Object.keys(load.errors), ...((await peer.check?.(load)) ?? [])]
  if (problems.length > 0)
    throw new Error(`${peer.name}, replies of ${REPLY_TOKENS} tokens: ${problems.join(', ')}`)
  return ((load.after - load.before) / load.tokens) * 1000
}

const medianOf = (values: number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN

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
