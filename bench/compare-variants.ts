import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateLoad } from './load.ts'
import { startParley, type Variant } from './parley.ts'
import { type Case, type Peer, REPLY_TOKENS } from './peers/peer.ts'
import { readProcessTrees } from './processes.ts'
import { startProvider } from './start-provider.ts'
import { quantile } from './times.ts'

const WARM_UP_SECONDS = 1
/** Rounds that don't count, because V8 still compiles. Processes that share the load need more of them than one. */
const WARM_UP_ROUNDS = 4

/**
 * Measures the CPU time of variants of Parley, in seconds per 1,000 tokens. Each has its own PostgreSQL, and they
 * alternate. Each round begins with another variant, because the first one of a round has an advantage. Prints the
 * medians and their ratios to the variant named `baseline`. Compare the ratios, because the absolute values depend on
 * the machine.
 */
export async function compareVariants(
  variants: Record<string, Variant>,
  baseline: string,
  { loadOf, rounds, seconds }: { loadOf: (variant: string) => Case; rounds: number; seconds: number },
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'))
  const provider = await startProvider(folder)
  const peers: [string, Peer][] = []
  for (const [name, variant] of Object.entries(variants)) {
    const own = join(folder, name.replaceAll(' ', '-'))
    mkdirSync(own)
    peers.push([name, await startParley({ providerUrl: provider.url, folder: own }, variant)])
  }
  const spent = new Map<string, number[]>(peers.map(([name]) => [name, []]))
  for (let round = 1 - WARM_UP_ROUNDS; round <= rounds; round++)
    for (const [name, peer] of rotate(peers, round + WARM_UP_ROUNDS)) {
      const cpu = await cpuPerThousandTokens(peer, loadOf(name), seconds)
      if (round > 0) spent.get(name)?.push(cpu)
      console.error(`round ${round} ${name}: ${cpu.toFixed(5)}`)
    }
  const base = spent.get(baseline) ?? []
  for (const [name, values] of spent) {
    const ratio = medianOf(values.map((value, round) => value / (base[round] ?? Number.NaN)))
    console.log(
      `${name.padEnd(24)} ${medianOf(values).toFixed(5)} CPU-s per 1,000 tokens, ratio to ${baseline} ${ratio.toFixed(2)}`,
    )
  }
  for (const [, peer] of peers) await peer.stop()
  await provider.stop()
  rmSync(folder, { recursive: true, force: true })
}

function rotate<Item>(items: readonly Item[], by: number): Item[] {
  const first = by % items.length
  return [...items.slice(first), ...items.slice(0, first)]
}

async function cpuPerThousandTokens(peer: Peer, wanted: Case, seconds: number): Promise<number> {
  const sample = (): number => readProcessTrees(peer.pids).cpuSeconds
  const { connections } = wanted
  const shape = {
    connections,
    spreadSeconds: (REPLY_TOKENS * wanted.gapMs) / 1000,
    warmUpSeconds: WARM_UP_SECONDS,
    seconds,
  }
  const load = await generateLoad(await peer.target(wanted), shape, sample)
  const problems = [...Object.keys(load.errors), ...((await peer.check?.(load)) ?? [])]
  if (problems.length > 0)
    throw new Error(`${peer.name}, replies of ${REPLY_TOKENS} tokens: ${problems.join(', ')}`)
  return ((load.after - load.before) / load.tokens) * 1000
}

const medianOf = (values: number[]): number => quantile(values, 0.5)
