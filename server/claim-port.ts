import cluster from 'node:cluster'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Config } from '#config'

/** The server can't listen at its address. The message is a single line for the operator. */
export class ListenError extends Error {
  override readonly name = 'ListenError'
}

/**
 * Takes the server's port before the start uses its database, so that a start without a port does no work. Closes
 * connections at once until the returned function gives the port back, just before the server listens itself. If another
 * process takes the port in between, listening fails in the same way. Throws a ListenError.
 *
 * Of `--workers`, only the primary claims. It would give a worker's claim the connections of the others, and a connection
 * that is on its way while the only worker closes its claim would wait for ever (Node's round-robin keeps it without a worker).
 */
export async function claimPort(address: Pick<Config, 'port' | 'host'>): Promise<() => Promise<void>> {
  if (address.port === 0 || cluster.isWorker) return async () => {}
  const claim = createServer((connection) => connection.destroy())
  await explained(address, () => once(claim.listen(address), 'listening'))
  return async () => {
    claim.close()
    await once(claim, 'close')
  }
}

/** Runs what listens at an address. Throws a ListenError that says how to get a working address. */
export async function explained<Result>(
  { port, host }: Pick<Config, 'port' | 'host'>,
  listen: () => Promise<Result>,
): Promise<Result> {
  try {
    return await listen()
  } catch (cause) {
    throw new ListenError(explain((cause as NodeJS.ErrnoException).code, port, host), { cause })
  }
}

function explain(code: string | undefined, port: number, host: string): string {
  switch (code) {
    case 'EADDRINUSE':
      return `Another process uses port ${port}. Stop that process, or set another PORT.`
    case 'EACCES':
      return `This user may not listen on port ${port}. Set PORT to 1024 or higher, or put a proxy before the server.`
    case 'EADDRNOTAVAIL':
      return `This machine doesn't have the address ${host}. Set HOST to one of its addresses, or to 0.0.0.0 for all.`
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `The name ${host} has no address. Set HOST to an address of this machine, or to 0.0.0.0 for all.`
    default:
      return `The server cannot listen on ${host}, port ${port} (${code ?? 'unknown error'}). Check HOST and PORT.`
  }
}
