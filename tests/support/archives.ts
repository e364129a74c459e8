import type { Answer, Person } from './client.ts'
import { readZip } from './read-zip.ts'
import type { TestServer } from './server.ts'

/** Uploads a zip archive to the import endpoint. */
export async function importArchive(
  { url }: Pick<TestServer, 'url'>,
  { token }: Pick<Person, 'token'>,
  bytes: Uint8Array,
  name?: string,
): Promise<Answer> {
  const form = new FormData()
  form.set('file', new Blob([bytes as Uint8Array<ArrayBuffer>]), 'export.zip')
  const query = name === undefined ? '' : `?${new URLSearchParams({ name })}`
  const response = await fetch(`${url}/api/org/import${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: form,
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) }
}

export async function exportArchive({ url }: TestServer, person: Person): Promise<Buffer> {
  const response = await fetch(`${url}/api/org/export?org_id=${person.organizationId}`, {
    headers: { authorization: `Bearer ${person.token}` },
  })
  if (response.status !== 200) throw new Error(await response.text())
  return Buffer.from(await response.arrayBuffer())
}

// biome-ignore lint/suspicious/noExplicitAny: tests read the fields they expect, and fail if one is missing
export type Rows = any[]

/**
 * Reads an export archive. `entries` contains its files by name, and `rows` parses the rows of a concept such as
 * `chats`.
 */
export async function readArchive(
  bytes: Buffer,
): Promise<{ entries: Map<string, Buffer>; rows(concept: string): Rows }> {
  const entries = await readZip(bytes)
  return {
    entries,
    rows: (concept) =>
      String(entries.get(`${concept}.jsonl`))
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
  }
}
