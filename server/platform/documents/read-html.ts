import { readFile } from 'node:fs/promises'
import type { BoundedText } from './bounded-text.ts'
import { readWebPage } from './read-web-page.ts'

/** Extracts the title and the main content of an uploaded HTML file. The file's original URL is unknown. */
export async function readHtml(path: string, text: BoundedText): Promise<void> {
  const bytes = await readFile(path)
  const { title, text: words } = await readWebPage({ bytes, contentType: 'text/html', url: 'about:blank' })
  if (title !== '') text.add(`# ${title}\n\n`)
  text.add(words)
}
