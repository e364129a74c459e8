import { createRandom } from '#tests/support/random.ts'
import { openOutgoingPaths } from './outgoing-paths.ts'
import type { Row } from './row.ts'
import { openTrap } from './trap.ts'

/** Spellings of loopback addresses, without a port. The trap listens on all of these addresses. */
const LOOPBACK = `
  127.0.0.1 127.0.0.1. 127.1 127.0.1 127.255.255.254 2130706433 017700000001 0177.0.0.1 0177.0.0.0x1 0x7f000001
  0x7f.1 0x7F.0x0.0x0.0x1 0x7f.0.0.01 0 0x0 0.0.0.0 %31%32%37.0.0.1 127。0。0。1 １２７.0.0.1 ①②⑦.0.0.1 localhost
  LOCALHOST localhost. [::1] [0:0:0:0:0:0:0:1] [::] [::ffff:127.0.0.1] [::ffff:7f00:1] [0:0:0:0:0:ffff:127.0.0.1]
  [::127.0.0.1] private.rebind.test mixed.rebind.test mapped.rebind.test
`
/** Other addresses of internal networks, and of clouds' metadata services. */
const ELSEWHERE = `
  10.0.0.1 167772161 012.1 172.16.1 172.31.255.255 192.168.1 3232235777 169.254.169.254 0xa9fea9fe 2852039166
  169.254.43518 169.254.169.253 169.254.170.2 168.63.129.16 0xa83f8110 100.100.100.200 100.64.0.1 192.0.0.192
  198.18.0.1 224.0.0.1 255.255.255.255 [fd00::1] [fe80::1] [fec0::1] [fd00:ec2::254] [fd20:ce::254]
  [64:ff9b::127.0.0.1] [2002:7f00:1::] [::ffff:169.254.169.254] [ff02::1]
`
const split = (text: string): string[] => text.trim().split(/\s+/)

/**
 * Matches the error messages for a rejected address. At the addresses in ELSEWHERE nothing listens, so only the
 * message shows that the server made no attempt.
 */
const REFUSED =
  /^400 |not (?:at )?a public address|cloud|not a web address|may not be reached|[Ii]nvalid|not allowed|must be|only https/

const FAILURES_MAX = 10

/** Tries internal addresses on every path by which the server connects to a host that a tenant chooses. */
export const ssrf: Row = {
  name: 'ssrf',
  cases: { full: Number.POSITIVE_INFINITY, commit: 25 },
  async run(stage, { seed, cases }) {
    const trap = await openTrap()
    try {
      const paths = await openOutgoingPaths(stage, trap)
      const hosts = [
        ...split(LOOPBACK).map((host) => ({ host, isTrapped: true })),
        ...split(ELSEWHERE).map((host) => ({ host, isTrapped: false })),
      ]
      const attacks = hosts.flatMap((target) =>
        paths.map(({ name, send }) => ({ ...target, what: `${name} to ${target.host}`, send })),
      )
      const random = createRandom(seed)
      const chosen = attacks
        .map((attack) => ({ attack, place: random() }))
        .sort((a, b) => a.place - b.place)
        .slice(0, cases)
        .map(({ attack }) => attack)
      const failures: string[] = []
      const expectRefusal = async (
        what: string,
        isTrapped: boolean,
        send: () => Promise<string>,
      ): Promise<void> => {
        const before = trap.connections()
        const outcome = await send().catch((error: unknown) => `no response: ${error}`)
        if (trap.connections() > before) failures.push(`${what}: connected`)
        else if (!isTrapped && !REFUSED.test(outcome)) failures.push(`${what}: ${outcome.slice(0, 200)}`)
      }
      for (const { what, host, isTrapped, send } of chosen) {
        // Stops after several failures. Without the SSRF guard, each connection to an unreachable host is slow.
        if (failures.length >= FAILURES_MAX) break
        await expectRefusal(what, isTrapped, () => send(`${host}:${trap.port}`))
      }
      for (const { name, isHttps, send } of paths) {
        // Proves that the path works: a request to the allowed site must arrive.
        const before = trap.visits()
        await send(`${trap.allowed}:${trap.port}`)
        if (trap.visits() === before && !isHttps)
          failures.push(`${name} to an allowed address: no request arrived`)
        const inner = trap.connections()
        await send(`${trap.allowed}:${trap.port}`, '/redirect')
        if (trap.connections() > inner) failures.push(`${name}: followed a redirect`)
        await send(`once.rebind.test:${trap.port}`)
        if (trap.connections() > inner) failures.push(`${name}: resolved a name twice`)
      }
      return { cases: chosen.length + paths.length * 3, failures }
    } finally {
      await trap.close()
    }
  },
  brokenBy: [
    {
      without: 'the check of addresses',
      edits: [
        {
          file: 'server/platform/net/addresses.ts',
          text: "if (parsed.range() !== 'unicast') return false",
          replacement: 'return true',
        },
      ],
    },
    {
      without: 'the check of resolved addresses',
      edits: [
        {
          file: 'server/platform/net/index.ts',
          text: 'if (refusal) return callback(refusal, [])',
          replacement: '',
        },
      ],
    },
    {
      without: 'the address check for models',
      edits: [
        {
          file: 'server/platform/models/transport.ts',
          text: 'return guarded ? net.checkUrl(baseUrl + path) : new URL(baseUrl + path)',
          replacement: 'return new URL(baseUrl + path)',
        },
        {
          file: 'server/platform/models/transport.ts',
          text: 'request.target.guarded ? net.guarded : net.open',
          replacement: 'net.open',
        },
      ],
    },
  ],
}
