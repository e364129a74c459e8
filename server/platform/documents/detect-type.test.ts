import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { documentXml, makeDocx, makeZip } from '#tests/support/hostile-files.ts'
import { ACCEPTED_TYPES, DOCX, XLSX } from './accepted-types.ts'
import { detectType } from './detect-type.ts'

const FIXTURES = 'tests/fixtures'
const folder = mkdtempSync(join(tmpdir(), 'parley-types-'))
afterAll(() => rmSync(folder, { recursive: true }))

function typeOf(content: string | Buffer, filename: string): Promise<string | null> {
  const path = join(folder, 'stored')
  writeFileSync(path, content)
  return detectType(path, filename)
}

test.each([
  ['book.pdf', 'application/pdf'],
  ['encrypted.pdf', 'application/pdf'],
  ['report.docx', DOCX],
  ['encrypted.docx', DOCX],
  ['figures.xlsx', XLSX],
  ['note.txt', 'text/plain'],
  ['utf16le.txt', 'text/plain'],
  ['note.md', 'text/markdown'],
  ['table.csv', 'text/csv'],
  ['utf16be.csv', 'text/csv'],
  ['picture.jpg', 'image/jpeg'],
  ['picture.png', 'image/png'],
  ['picture.gif', 'image/gif'],
  ['picture.webp', 'image/webp'],
  ['picture.svg', 'image/svg+xml'],
  ['picture-called.pdf', 'image/png'],
  ['sound.mp3', 'audio/mpeg'],
  ['sound.wav', 'audio/wav'],
  ['sound.m4a', 'audio/mp4'],
  ['recording.m4a', 'audio/mp4'],
  ['sound.ogg', 'audio/ogg'],
  ['speech.ogg', 'audio/ogg'],
  ['sound.flac', 'audio/flac'],
  ['sound.webm', 'audio/webm'],
  ['film.mp4', 'video/mp4'],
  ['film.webm', 'video/webm'],
  ['film.mov', 'video/quicktime'],
  ['film.avi', 'video/x-msvideo'],
  ['film.mkv', null],
  ['archive.zip', null],
])('%s is %s', async (name, type) => {
  expect(await detectType(join(FIXTURES, name), name)).toBe(type)
  if (type !== null) expect(ACCEPTED_TYPES.get(type)?.extensions.length).toBeGreaterThan(0)
})

test.each([
  ['an empty file', '', 'a.txt', null],
  ['HTML named .txt', '<!doctype html><script>1</script>', 'a.txt', 'text/plain'],
  ['HTML', '<!doctype html><p>1', 'a.html', null],
  ['HTML named .svg', '<html><svg></svg></html>', 'a.svg', null],
  ['SVG named .png', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'a.png', null],
  ['SVG named .txt', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'a.txt', 'text/plain'],
  [
    'SVG with an inner subset',
    '<!DOCTYPE svg [<!ENTITY a "<html>">]><s:svg xmlns:s="x">',
    'A.SVG',
    'image/svg+xml',
  ],
  ['SVG with an unfinished document type', '<!DOCTYPE svg [', 'a.svg', null],
  ['text that begins like an image', 'BM, GIF and ID3 are formats', 'a.md', 'text/markdown'],
  ['a PDF named .txt', '%PDF-1.4\n', 'a.txt', 'application/pdf'],
  ['a PDF after an empty line', '\n\n%PDF-1.4\n', 'a.pdf', 'application/pdf'],
  ['text named .pdf', 'hello', 'a.pdf', null],
  ['text without a name', 'hello', 'LICENSE', 'text/plain'],
  ['code', 'print(1)', 'a.py', null],
  ['text with NUL', 'hello\0', 'a.txt', null],
  ['Windows-1252', Buffer.from('Gr\xf6\xdfe;5 \x80\r\n', 'latin1'), 'a.csv', 'text/csv'],
  ['Windows-1252 named .svg', Buffer.from('<svg a="\xe4"/>', 'latin1'), 'a.svg', null],
  ['Windows-1252 without a name', Buffer.from('\xe4', 'latin1'), 'LICENSE', null],
  ['bytes without a letter in Windows-1252', Buffer.from([0x68, 0xe4, 0x81]), 'a.csv', 'text/csv'],
  ['a legacy encoding named .svg', Buffer.from('<svg a="\xe4\x81"/>', 'latin1'), 'a.svg', null],
  ['UTF-16 without a byte order mark', Buffer.from('name;Köln\n', 'utf16le'), 'a.csv', 'text/csv'],
  ['UTF-16 and a byte order mark with NUL', Buffer.from('\ufeffabc\0', 'utf16le'), 'a.txt', null],
  ['random bytes', createHash('sha512').update('').digest(), 'a.txt', null],
  ['control characters beside Windows-1252', Buffer.from([0x1b, 0xe4]), 'a.txt', null],
  ['half a surrogate beside Windows-1252', Buffer.from([0xff, 0xfe, 0x61, 0x00, 0xd8]), 'a.txt', null],
  ['half a surrogate in UTF-16', Buffer.from([0xff, 0xfe, 0x00, 0xd8]), 'a.txt', null],
  [
    'UTF-8 with a late error',
    Buffer.concat([Buffer.alloc(300_000, 'ж'), Buffer.from([0x90])]),
    'a.txt',
    'text/plain',
  ],
  ['characters across read boundaries', `a${'ä'.repeat(200_000)}`, 'a.txt', 'text/plain'],
  [
    'an executable named .txt',
    Buffer.concat([Buffer.from('\x7fELF\x02\x01\x01'), Buffer.alloc(99)]),
    'a.txt',
    null,
  ],
  ['a ZIP named .docx', makeZip([{ name: 'a.txt', content: 'hello' }]), 'a.docx', null],
  ['a DOCX named .zip', makeDocx(documentXml('hello')), 'a.zip', DOCX],
  ['an old Word document named .docx', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'a.docx', null],
])('the type is detected from content and name: %s', async (_what, content, filename, type) => {
  expect(await typeOf(content, filename)).toBe(type)
})

test('an encrypted document with another extension is refused', async () => {
  expect(await typeOf(readFileSync(join(FIXTURES, 'encrypted.docx')), 'a.doc')).toBeNull()
})

test('a missing file is an error', async () => {
  await expect(detectType(join(folder, 'gone'), 'a.txt')).rejects.toThrow('ENOENT')
})
