import { fail, sentence } from '#errors'
import { FetchError, fetchBounded } from '#platform/net/fetch-bounded.ts'
import { type Net, NetError } from '#platform/net/index.ts'

const FETCH_MS = 20_000

/** Downloads the content at a URL of a request, through the SSRF guard. Throws request.invalid. */
export async function loadAddress(net: Net, url: string, bytesMax: number): Promise<Uint8Array> {
  const bounds = { bytesMax, timeoutMs: FETCH_MS, signal: new AbortController().signal }
  try {
    const { status, body } = await fetchBounded(net, url, bounds)
    if (status !== 200) throw refuse(sentence('openai.url_status', { url, status }))
    return body
  } catch (error) {
    if (error instanceof NetError || error instanceof FetchError) throw refuse(error.message)
    throw error
  }
}

const refuse = (reason: string) => fail('request.invalid', { reason })
