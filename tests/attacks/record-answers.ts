import type { Place } from './secret-places.ts'

/** Matches the parts of a path that differ between runs. */
const IDS = /\/(?=[\w-]*\d)[\w-]{20,}/g

/** Records the response to every `fetch` from a server, including its headers, until `end` is called. */
export function recordAnswers(url: string): { answers: Place[]; end(): void } {
  const { fetch } = globalThis
  const answers: Place[] = []
  globalThis.fetch = async (input, init) => {
    const response = await fetch(input, init)
    const address = new URL(input instanceof Request ? input.url : String(input))
    if (address.origin !== url) return response
    const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
    const bytes = Buffer.from(await response.arrayBuffer())
    const what = response.status < 400 ? 'answer to' : 'error of'
    const name = `${what} ${init?.method ?? 'GET'} ${address.pathname.replace(IDS, '/:id')}`
    answers.push({ name, text: `${headers}\n${bytes.toString('latin1')}` })
    const hasBody = ![101, 204, 205, 304].includes(response.status)
    const copy = new Response(hasBody ? bytes : null, response)
    Object.defineProperty(copy, 'url', { value: response.url })
    return copy
  }
  return {
    answers,
    end() {
      globalThis.fetch = fetch
    },
  }
}
