import { isIP } from 'node:net'
import type { Config } from '#config'
import type { Net } from '#platform/net/index.ts'
import { type Check, type Finding, ok, problem, reasonOf, type Surroundings, warning } from './check.ts'

/** Maximum size of an answer to read, in bytes. */
const ANSWER_BYTES_MAX = 64 * 1024
/** An id of the server (database/new-id.ts). */
const REQUEST_ID = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/
const ANY_HOSTS = ['0.0.0.0', '::']

export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || hostname === '::1' || hostname.startsWith('127.')

/** Returns the URL at which this machine reaches the server. */
export function localUrlOf({ host, port }: Pick<Config, 'host' | 'port'>): string {
  const name = ANY_HOSTS.includes(host) ? '127.0.0.1' : host
  return `http://${isIP(name) === 6 ? `[${name}]` : name}:${port}`
}

/** The public address, and the proxy in front of it. */
export const addressChecks: readonly Check[] = [
  { name: 'address', run: checkAddress },
  { name: 'proxy', run: async ({ config }) => [checkProxy(config)] },
]

interface Probe {
  status: number
  location: string
  isParley: boolean
}

async function probe(net: Net, url: string, signal: AbortSignal): Promise<Probe> {
  const { origin, pathname, search } = new URL(url)
  const { statusCode, headers, body } = await net.open.request({
    origin,
    path: pathname + search,
    method: 'GET',
    signal,
  })
  await body.dump({ limit: ANSWER_BYTES_MAX })
  return {
    status: statusCode,
    location: String(headers['location'] ?? ''),
    isParley: REQUEST_ID.test(String(headers['x-request-id'] ?? '')),
  }
}

async function checkAddress({ config, net }: Surroundings, signal: AbortSignal): Promise<Finding[]> {
  const { baseUrl, host } = config
  const findings: Finding[] = []
  const { protocol, hostname } = new URL(baseUrl)
  const isPublic = !isLoopback(host)
  if (isPublic && protocol === 'http:')
    findings.push(
      problem(
        `HOST is ${host}, and BASE_URL is not https, so passwords cross the network in the clear. Put a proxy with TLS in front, and set BASE_URL to https://….`,
      ),
    )
  if (isPublic && isLoopback(hostname))
    findings.push(
      problem(
        `BASE_URL is ${baseUrl}, so links in emails lead to the reader's own machine. Set it to the public address.`,
      ),
    )
  try {
    findings.push(judge(baseUrl, await probe(net, `${baseUrl}/healthz`, signal)))
  } catch (error) {
    findings.push(await explainUnreachable({ config, net }, error, signal))
  }
  return findings
}

function judge(baseUrl: string, { status, location, isParley }: Probe): Finding {
  if (status >= 300 && status < 400)
    return problem(`${baseUrl} redirects to ${location.slice(0, 200)}. Set BASE_URL to the final address.`)
  if (!isParley)
    return problem(
      `${baseUrl} is answered by another program (status ${status}). Check BASE_URL, and that the proxy passes requests on and keeps X-Request-Id.`,
    )
  if (status !== 200)
    return problem(`${baseUrl}/healthz answers with status ${status}. Read the server's log.`)
  return ok(`${baseUrl} leads to this server`)
}

/** Distinguishes a server that does not run from an address that does not lead to it. */
async function explainUnreachable(
  { config, net }: Surroundings,
  error: unknown,
  signal: AbortSignal,
): Promise<Finding> {
  const local = localUrlOf(config)
  const runs = await probe(net, `${local}/healthz`, signal).then(
    ({ isParley }) => isParley,
    () => false,
  )
  const reason = `${config.baseUrl} cannot be reached from here: ${reasonOf(error)}.`
  if (runs)
    return problem(`${reason} The server answers at ${local}. Check DNS, the proxy and its certificate.`)
  return warning(`${reason} No server answers at ${local} either. Start the server, and run doctor again.`)
}

/** Compares TRUST_PROXY with BASE_URL. The server itself has no TLS, so https means a proxy. */
function checkProxy({ baseUrl, port, trustProxy }: Config): Finding {
  const { protocol, port: publicPort } = new URL(baseUrl)
  const isBehindProxy = protocol === 'https:' || Number(publicPort || 80) !== port
  if (isBehindProxy && trustProxy === false)
    return problem(
      `BASE_URL (${baseUrl}) leads through a proxy to port ${port}, and TRUST_PROXY is not set, so all clients share one rate limit. Set TRUST_PROXY to 1 or to the proxy's addresses.`,
    )
  if (!isBehindProxy && trustProxy !== false)
    return warning(
      'TRUST_PROXY is set, but BASE_URL leads directly to the server. Clients could then forge their address. Unset TRUST_PROXY, or set BASE_URL to the address of the proxy.',
    )
  if (typeof trustProxy === 'number' && trustProxy > 1)
    return warning(
      `TRUST_PROXY trusts ${trustProxy} hops. With fewer proxies, clients can forge their address. Check the number.`,
    )
  return ok(
    isBehindProxy
      ? `TRUST_PROXY is set for the proxy in front of port ${port}`
      : 'No proxy is in front of the server',
  )
}
