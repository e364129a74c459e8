import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { detectType } from '#platform/documents/detect-type.ts'
import { readFileText } from '#platform/documents/read-file.ts'

/** Returns the text of a file, read as the type that its content and extension show, without the white space around. */
export async function readAs(content: Buffer | string, extension: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-read-'))
  try {
    const path = join(folder, 'file')
    writeFileSync(path, content)
    const contentType = await detectType(path, `file.${extension}`)
    if (contentType === null) throw new Error('The type was not detected')
    return (await readFileText({ path, contentType })).text.trim()
  } finally {
    rmSync(folder, { recursive: true })
  }
}
