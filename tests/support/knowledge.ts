import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, Client, Person } from './client.ts'

const WAIT_MS_MAX = 60_000

/** Uses knowledge bases through the public API as one user. */
export interface Librarian {
  token: string
  call(method: string, path: string, query: Record<string, string>, body?: unknown): Promise<Answer>
  create(more?: Record<string, unknown>): Promise<string>
  add(kbId: string, type: string, config: object): Promise<string>
  /** Uploads a file for a source of type `file`. Returns its id. */
  upload(kbId: string, name: string, content: string | Uint8Array<ArrayBuffer>): Promise<string>
  /** Waits until ingestion has finished. Returns the ingestion status. */
  settle(kbId: string): Promise<Answer['body']>
}

/** A source of type `text`. */
export const textSource = (name: string, content = `All about ${name}.`) => ({
  type: 'text',
  config: { name, content },
})

/** Returns the status and the error message of a response. */
export const said = ({ status, body }: Answer) => [status, body.detail]

let count = 0

export function librarian(server: Client, person: Person): Librarian {
  const call: Librarian['call'] = (method, path, query, body) =>
    server.call(method, `/api/kb/${path}?${new URLSearchParams(query)}`, { token: person.token, body })
  const made = async (asked: Promise<Answer>): Promise<string> => {
    const answer = await asked
    if (answer.status !== 201) throw new Error(`${answer.status}: ${answer.text}`)
    return answer.body['id'] as string
  }
  return {
    token: person.token,
    call,
    create: (more = {}) =>
      made(
        call(
          'POST',
          'create',
          { org_id: person.organizationId },
          {
            name: `Library ${++count}`,
            description: '',
            embedding_model: 'local',
            sources: [],
            ...more,
          },
        ),
      ),
    add: (kbId, type, config) => made(call('POST', 'add_source', { kb_id: kbId }, { type, config })),
    async upload(kbId, name, content) {
      const form = new FormData()
      form.set('file', new Blob([content]), name)
      const response = await fetch(`${server.url}/api/kb/upload_file?kb_id=${kbId}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${person.token}` },
        body: form,
      })
      if (response.status !== 201) throw new Error(`${response.status}: ${await response.text()}`)
      return ((await response.json()) as { id: string }).id
    },
    async settle(kbId) {
      const end = Date.now() + WAIT_MS_MAX
      for (;;) {
        const { status, body, text } = await call('GET', 'ingestion_status', { kb_id: kbId })
        if (status !== 200) throw new Error(`${status}: ${text}`)
        if (['ready', 'partial', 'failed'].includes(body['status'])) return body
        if (Date.now() > end) throw new Error(`not settled: ${text}`)
        await sleep(25)
      }
    },
  }
}
