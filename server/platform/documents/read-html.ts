import { readFile } from 'node:fs/promises'
import type { BoundedText } from './bounded-text.ts'
import { readWebPage } from './read-web-page.ts'

/** A web page that somebody has kept as a file: its title and its main content. Where it came from is not known. */
export async function readHtml(path: string, text: BoundedText): Promise<void> {
  const bytes = await readFile(path)
  const { title, text: words } = await readWebPage({ bytes, contentType: 'text/html', url: 'about:blank' })
  if (title !== '') text.add(`# ${title}\n\n`)
  text.add(words)
}
