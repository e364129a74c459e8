import type { Librarian } from './knowledge.ts'
import type { TestServer } from './server.ts'

const UPLOADS_AT_ONCE = 8
/** Of one source. */
const FILES_MAX = 100

/** Texts as files of a knowledge base, uploaded as a person does, and indexed. */
export async function shelve(
  server: TestServer,
  library: Librarian,
  kbId: string,
  files: { name: string; text: string }[],
): Promise<void> {
  const ids: string[] = []
  const rest = [...files.entries()]
  const work = async (): Promise<void> => {
    for (let next = rest.shift(); next; next = rest.shift()) {
      const [place, { name, text }] = next
      const form = new FormData()
      form.set('file', new Blob([text], { type: 'text/markdown' }), name)
      const response = await fetch(`${server.url}/api/kb/upload_file?kb_id=${kbId}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${library.token}` },
        body: form,
      })
      if (response.status !== 201) throw new Error(await response.text())
      ids[place] = ((await response.json()) as { id: string }).id
    }
  }
  await Promise.all(Array.from({ length: UPLOADS_AT_ONCE }, work))
  for (let at = 0; at < ids.length; at += FILES_MAX)
    await library.add(kbId, 'file', { upload_ids: ids.slice(at, at + FILES_MAX) })
  await library.settle(kbId)
}
