import { networkOf } from '#platform/net/addresses.ts'
import { exchangeOnce } from '#platform/net/fetch-bounded.ts'
import type { Net } from '#platform/net/index.ts'

/** @limit metadata document of a client */
const DOCUMENT_BYTES_MAX = 64 * 1024
const DOCUMENT_TIMEOUT_MS = 5_000
/** Maximum number of concurrent fetches, and of fetches per minute. Limited because anyone can cause fetches. */
const UNDER_WAY_MAX = 8
const FETCHES_MAX = 60
/** The same limits for each network of clients. */
const UNDER_WAY_OF_NETWORK_MAX = 4
const FETCHES_OF_NETWORK_MAX = 20
const WINDOW_MS = 60_000

/**
 * Fetches client metadata from the URL that is the client's id (OAuth Client ID Metadata Document). Fetches only from
 * public addresses, follows no redirects, and limits the number of fetches.
 */
export class ClientDocuments {
  readonly #net: () => Net
  readonly #clientAddress: () => string
  #underWay: string[] = []
  #recent: { network: string; at: number }[] = []

  /** `clientAddress` returns the IP address of the current request's client. */
  constructor(net: () => Net, clientAddress: () => string) {
    this.#net = net
    this.#clientAddress = clientAddress
  }

  readonly fetch = async (address: string | URL | Request): Promise<Response> => {
    const network = networkOf(this.#clientAddress())
    this.#admit(network)
    this.#underWay.push(network)
    try {
      const { status, body, contentType } = await exchangeOnce(this.#net(), String(address), {
        method: 'GET',
        headers: {
          accept: 'application/json',
          'user-agent': 'Parley (fetches metadata of MCP clients)',
        },
        content: null,
        readsBody: (answered) => answered === 200,
        bytesMax: DOCUMENT_BYTES_MAX,
        isCut: false,
        signal: AbortSignal.timeout(DOCUMENT_TIMEOUT_MS),
      })
      const content = status === 200 ? new Uint8Array(body) : null
      return new Response(content, { status, headers: { 'content-type': contentType } })
    } finally {
      this.#underWay.splice(this.#underWay.indexOf(network), 1)
    }
  }

  #admit(network: string): void {
    const since = Date.now() - WINDOW_MS
    this.#recent = this.#recent.filter(({ at }) => at > since)
    const isTooMuch =
      this.#underWay.length >= UNDER_WAY_MAX ||
      this.#recent.length >= FETCHES_MAX ||
      this.#underWay.filter((one) => one === network).length >= UNDER_WAY_OF_NETWORK_MAX ||
      this.#recent.filter((one) => one.network === network).length >= FETCHES_OF_NETWORK_MAX
    if (isTooMuch) throw new Error('too many client metadata requests')
    this.#recent.push({ network, at: Date.now() })
  }
}
