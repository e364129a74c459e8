import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { generateLoad, type Load, type LoadShape } from './load.ts'
import { POSTGRES_SETTINGS, startParley } from './parley.ts'
import { startAiSdk } from './peers/ai-sdk.ts'
import { startDirect } from './peers/direct.ts'
import { startOpenAiSdk } from './peers/openai-sdk.ts'
import { startPassThrough } from './peers/pass-through.ts'
import { type Case, type Peer, type PeerOptions, REPLY_TOKENS } from './peers/peer.ts'
import { startPortkey } from './peers/portkey.ts'
import { type ProcessUsage, readProcessTrees, resetPeakMemory } from './processes.ts'
import { caseName, formatTable, formatVerdict, type Measurement, type Series } from './report.ts'
import { startProvider } from './start-provider.ts'

/*
 * Compares Parley with its peers, all in front of the same emulated provider on this machine:
 *
 *   npm run bench -- --rounds 5 --seconds 8
 *   npm run bench -- --only parley,portkey --cases 50x0,200x10
 *
 * The servers run one at a time in alternating rounds, so that other load on the machine affects all equally. Compare
 * the ratios: absolute figures depend on the machine.
 */

const WARM_UP_SECONDS = 1
const PEERS: Record<string, (options: PeerOptions) => Promise<Peer>> = {
  direct: startDirect,
  'pass-through': startPassThrough,
  portkey: startPortkey,
  'openai-sdk': startOpenAiSdk,
  'ai-sdk': startAiSdk,
  parley: startParley,
}

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '5' },
    only: { type: 'string', default: Object.keys(PEERS).join(',') },
    cases: { type: 'string', default: '1x0,50x0,200x0,1x10,50x10,200x10' },
    provider: { type: 'string', default: join(import.meta.dirname, '../tests/support/provider/main.ts') },
  },
})

/** Cleanup at the end of the run, in reverse order. */
const stops: (() => Promise<void>)[] = []

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'))
  stops.push(async () => rmSync(folder, { recursive: true, force: true }))
  const provider = await startProvider(folder, resolve(flags.provider))
  stops.push(() => provider.stop())
  const peers: Peer[] = []
  for (const name of flags.only.split(','))
    peers.push(await startPeer(name, { providerUrl: provider.url, folder }))

  const all: Series[] = []
  for (const current of flags.cases.split(',').map(parseCase)) {
    const series = peers.map((peer): Series => ({ peer: peer.name, case: current, rounds: [] }))
    all.push(...series)
    for (let round = 1; round <= Number(flags.rounds); round++) await runRound(round, current, peers, series)
  }
  console.log(describeRun())
  console.log(`\n${formatTable(all)}\n`)
  for (const line of formatVerdict(all)) console.log(line)
}

async function startPeer(name: string, options: PeerOptions): Promise<Peer> {
  const start = PEERS[name]
  if (start === undefined)
    throw new Error(`Unknown peer ${name}. Choose from ${Object.keys(PEERS).join(', ')}.`)
  const peer = await start(options)
  stops.push(() => peer.stop())
  return peer
}

function parseCase(text: string): Case {
  const [, connections, gapMs] = /^(\d+)x(\d+)$/.exec(text) ?? []
  if (connections === undefined)
    throw new Error(`Invalid case ${text}. Use 50x10 for 50 streams with 10 ms between tokens.`)
  return { connections: Number(connections), gapMs: Number(gapMs) }
}

/** Measures every peer once, one after the other. */
async function runRound(round: number, current: Case, peers: Peer[], series: Series[]): Promise<void> {
  let directMs = Number.NaN
  for (const [index, peer] of peers.entries()) {
    const measurement = await measure(peer, current, directMs)
    if (peer.name === 'direct') directMs = measurement.firstTokenMs.p50
    series[index]?.rounds.push(measurement)
    const streams = measurement.streamsPerSecond.toFixed(1)
    console.error(`${caseName(current)} round ${round} ${peer.name}: ${streams} streams/s`)
  }
}

interface Sample {
  server: ProcessUsage | undefined
  database: ProcessUsage | undefined
}

async function measure(peer: Peer, current: Case, directMs: number): Promise<Measurement> {
  const target = await peer.target(current)
  const usageOf = (pids: number[]) => (pids.length === 0 ? undefined : readProcessTrees(pids))
  const databasePids = peer.databasePid === undefined ? [] : [peer.databasePid]
  const sample = (): Sample => ({ server: usageOf(peer.pids), database: usageOf(databasePids) })
  resetPeakMemory(peer.pids)
  const load = await generateLoad(target, shapeOf(current), sample)
  const problems = [
    ...Object.entries(load.errors).map(([kind, count]) => `${count} × ${kind}`),
    ...((await peer.check?.(load)) ?? []),
  ]
  for (const problem of problems) console.error(`ERROR ${caseName(current)} ${peer.name}: ${problem}`)
  return {
    streamsPerSecond: load.streamsPerSecond,
    tokensPerSecond: load.tokensPerSecond,
    firstTokenMs: load.firstTokenMs,
    addedMs: load.firstTokenMs.p50 - directMs,
    cpuPerThousandTokens: cpuPerThousand(load, 'server'),
    databaseCpuPerThousandTokens: cpuPerThousand(load, 'database'),
    peakMegabytes: (load.after.server?.peakBytes ?? Number.NaN) / 1e6,
    errors: countErrors(load, problems.length),
    clientUtilization: load.client.utilization,
  }
}

/** Spreads the start of long replies over the duration of one reply. */
const shapeOf = ({ connections, gapMs }: Case): LoadShape => ({
  connections,
  spreadSeconds: (REPLY_TOKENS * gapMs) / 1000,
  warmUpSeconds: WARM_UP_SECONDS,
  seconds: Number(flags.seconds),
})

function cpuPerThousand({ before, after, tokens }: Load<Sample>, who: keyof Sample): number {
  const [begin, end] = [before[who]?.cpuSeconds, after[who]?.cpuSeconds]
  return begin === undefined || end === undefined ? Number.NaN : ((end - begin) / tokens) * 1000
}

/** Counts every failed reply and every other reported problem. */
function countErrors({ errors }: Load<Sample>, problems: number): number {
  const kinds = Object.values(errors)
  return kinds.reduce((sum, count) => sum + count, 0) + (problems - kinds.length)
}

function describeRun(): string {
  const settings = Object.entries(POSTGRES_SETTINGS).map(([name, value]) => `${name} ${value}`)
  return [
    `\nNode ${process.version}, ${availableParallelism()} processors shared with the provider and the load generator.`,
    `Medians of ${flags.rounds} alternating rounds of ${flags.seconds} s, replies of ${REPLY_TOKENS} tokens.`,
    'Case: concurrent streams x ms between tokens. In parentheses: ratios to Portkey and to the pass-through.',
    `PostgreSQL: ${settings.join(', ')}, otherwise defaults. Its CPU time is in a separate column.`,
  ].join('\n')
}

async function stopAll(): Promise<void> {
  for (const stop of stops.toReversed()) await stop()
}

process.once('SIGINT', () => process.exit(130))
process.once('SIGTERM', () => process.exit(143))
try {
  await main()
} finally {
  await stopAll()
}
