import { encodeText } from './encode-text.ts'

export const HELVETICA = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'

export interface PdfParts {
  /** Operators of the page. */
  content?: string
  /** Font /F1. /F2 is Helvetica. */
  font?: string
  /** Objects from number 7 on. */
  more?: string[]
  /** Further entries of the page and of the catalogue. */
  page?: string
  catalog?: string
}

/** Returns a PDF with one page. Strings are Latin-1, so that a character is a byte. */
export function makePdf({
  content = '',
  font = HELVETICA,
  more = [],
  page = '',
  catalog = '',
}: PdfParts): Buffer {
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R ${page} /Resources << /Font << /F1 5 0 R /F2 6 0 R >> >> >>`,
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    font,
    HELVETICA,
    ...more,
  ]
  let file = '%PDF-1.7\n'
  const offsets = objects.map((object, index) => {
    const offset = file.length
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
    return `${String(offset).padStart(10, '0')} 00000 n \n`
  })
  const size = objects.length + 1
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}`
  file += `${table}trailer << /Size ${size} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF`
  return Buffer.from(file, 'latin1')
}

/** Returns operators that show one line of Helvetica per string. */
export const linesOf = (...lines: string[]): string =>
  `BT /F2 12 Tf 72 720 Td 14 TL ${lines.map((line) => `(${line.replace(/[\\()]/g, '\\$&')}) Tj T*`).join(' ')} ET`

/** Returns a text string of a dictionary: UTF-16BE with a byte order mark, in hexadecimal. */
export const utf16 = (text: string): string => `<feff${encodeText('utf-16be', text).toString('hex')}>`

/** Returns operators and objects for text in a font that is not embedded, with a predefined character map. */
export function cjkPdf({ map, encoding, ordering, text, more = '' }: CjkText): Buffer {
  const codes = encodeText(encoding, text).toString('hex')
  return makePdf({
    content: `BT /F1 12 Tf 72 720 Td <${codes}> Tj ET ${more}`,
    font: `<< /Type /Font /Subtype /Type0 /BaseFont /Plain /Encoding /${map} /DescendantFonts [7 0 R] >>`,
    more: [
      `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Plain /CIDSystemInfo << /Registry (Adobe) /Ordering (${ordering}) /Supplement 2 >> /DW 1000 /FontDescriptor 8 0 R >>`,
      '<< /Type /FontDescriptor /FontName /Plain /Flags 6 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>',
    ],
  })
}

export interface CjkText {
  /** Name of the character map. */
  map: string
  /** Encoding of the codes. */
  encoding: string
  /** Adobe's character collection: GB1, CNS1, Japan1 or Korea1. */
  ordering: string
  text: string
  /** Further operators. */
  more?: string
}
