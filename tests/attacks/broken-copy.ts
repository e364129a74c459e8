import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Edit } from './row.ts'
import { ROOT } from './stage.ts'

const LEFT_OUT = ['node_modules', '.git', '.cache', 'data', 'docs', 'tests', 'bench']

/**
 * Copies the source tree to a temporary folder and applies the edits to the copy. Throws if an edit doesn't apply.
 */
export function makeBrokenCopy(edits: readonly Edit[]): { root: string; remove(): void } {
  const root = mkdtempSync(join(tmpdir(), 'parley-broken-'))
  cpSync(ROOT, root, { recursive: true, filter: (path) => !LEFT_OUT.includes(basename(path)) })
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'))
  for (const edit of edits) {
    const file = join(root, edit.file)
    writeFileSync(file, applyEdit(readFileSync(file, 'utf8'), edit))
  }
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) }
}

/** Replaces a string in a file's source. Throws unless the string occurs exactly once. */
export function applyEdit(source: string, { file, text, replacement }: Edit): string {
  const count = source.split(text).length - 1
  if (count !== 1)
    throw new Error(`${file} contains this text ${count} times instead of once; update the edit:\n${text}`)
  return source.replace(text, () => replacement)
}
