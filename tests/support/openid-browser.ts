import type { Answer } from './client.ts'

const HOPS_MAX = 10

/** A minimal browser that stores cookies by host and follows redirects. It stops at the console's /oidc page. */
export class OpenidBrowser {
  readonly #cookies = new Map<string, Map<string, string>>()

  async open(address: string): Promise<URL> {
    for (let url = new URL(address), hops = 0; hops < HOPS_MAX; hops++) {
      const response = await this.#fetch(url, { redirect: 'manual' })
      const location = response.headers.get('location')
      if (location === null) throw new Error(`${response.status} ${url.pathname}: ${await response.text()}`)
      url = new URL(location, url)
      if (url.pathname === '/oidc') return url
    }
    throw new Error('redirect loop')
  }

  /** Redeems the code in the URL as the console's /oidc page does. */
  async exchange(server: string, { searchParams }: URL, more: object = {}): Promise<Answer> {
    const response = await this.#fetch(new URL(`${server}/api/auth/oidc/exchange`), {
      method: 'POST',
      body: JSON.stringify({ code: searchParams.get('code'), ...more }),
      headers: { 'content-type': 'application/json' },
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) }
  }

  async #fetch(url: URL, init: RequestInit): Promise<Response> {
    const jar = this.#cookies.get(url.host) ?? new Map<string, string>()
    this.#cookies.set(url.host, jar)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, { ...init, headers: { ...init.headers, cookie } })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/; ?Max-Age=0/i.test(line)) jar.delete(name)
      else jar.set(name, value)
    }
    return response
  }
}
