import { makeZip, type ZipPart } from './hostile-files.ts'

const FORMATS = 'http://schemas.openxmlformats.org'
export const SHEET = `${FORMATS}/spreadsheetml/2006/main`
const WORD = `${FORMATS}/wordprocessingml/2006/main`
const OFFICE = `${FORMATS}/officeDocument/2006/relationships`
const PACKAGE = `${FORMATS}/package/2006`
const XML = '<?xml version="1.0" encoding="UTF-8"?>'

/** A part of a document and the ID and type of its relation to the main part, if it has one. */
export interface Part {
  name: string
  content: string | Buffer
  /** `[ID, type]`, such as `['rId7', 'header']`. */
  relation?: [id: string, type: string]
}

const relations = (name: string, list: [id: string, type: string, target: string][]): ZipPart => ({
  name,
  content: `${XML}<Relationships xmlns="${PACKAGE}/relationships">${list
    .map(
      ([id, type, target]) =>
        `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"${/^\w+:/.test(target) ? ' TargetMode="External"' : ''}/>`,
    )
    .join('')}</Relationships>`,
})

function officePackage(main: string, type: string, content: string, parts: Part[]): Buffer {
  const [folder = '', file = ''] = main.split('/')
  return makeZip([
    {
      name: '[Content_Types].xml',
      content: `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/${main}" ContentType="application/vnd.openxmlformats-officedocument.${type}.main+xml"/></Types>`,
    },
    relations('_rels/.rels', [['rId1', 'officeDocument', main]]),
    { name: main, content },
    relations(
      `${folder}/_rels/${file}.rels`,
      parts.flatMap(({ name, relation }): [string, string, string][] =>
        relation === undefined
          ? []
          : [[relation[0], relation[1], /^\w+:/.test(name) ? name : name.slice(folder.length + 1)]],
      ),
    ),
    ...parts.filter(({ name }) => !/^\w+:/.test(name)),
  ])
}

/** Styles by number: 0 general, then these formats. Numbers are built-in formats, texts are format codes. */
export const stylesXml = (formats: (number | string)[]): string => {
  const codes = formats.map((format, index) =>
    typeof format === 'string'
      ? `<numFmt numFmtId="${200 + index}" formatCode="${format.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')}"/>`
      : '',
  )
  const ids = formats.map((format, index) => (typeof format === 'string' ? 200 + index : format))
  return `${XML}<styleSheet xmlns="${SHEET}"><numFmts>${codes.join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${ids.map((id) => `<xf numFmtId="${id}"/>`).join('')}</cellXfs></styleSheet>`
}

export interface Workbook {
  /** Content of sheetData of the sheet "Data". */
  rows: string
  /** Elements after sheetData. */
  after?: string
  /** Null leaves the part out. */
  styles?: string | null
  strings?: string | null
  properties?: string
  /** Sheets before "Data": name, type, content and more attributes. */
  before?: { name: string; type: string; content: string; attributes?: string }[]
  /** Replaces the part of the sheet. */
  sheet?: string
  book?: string
}

/** Returns an XLSX file. */
export function makeWorkbook(book: Workbook): Buffer {
  const { rows, after = '', styles = stylesXml([]), strings = '', properties = '', before = [] } = book
  const sheets: Part[] = before.map(({ type, content }, index) => ({
    name: `xl/${type}s/other${index}.xml`,
    content,
    relation: [`rId${10 + index}`, type],
  }))
  const sheet =
    book.sheet ?? `${XML}<worksheet xmlns="${SHEET}"><sheetData>${rows}</sheetData>${after}</worksheet>`
  sheets.push({ name: 'xl/worksheets/sheet1.xml', content: sheet, relation: ['rId1', 'worksheet'] })
  if (styles !== null) sheets.push({ name: 'xl/styles.xml', content: styles, relation: ['rId2', 'styles'] })
  if (strings !== null)
    sheets.push({
      name: 'xl/sharedStrings.xml',
      content: strings.startsWith('<?') ? strings : `${XML}<sst xmlns="${SHEET}">${strings}</sst>`,
      relation: ['rId3', 'sharedStrings'],
    })
  const tabs = before.map(
    ({ name, attributes = '' }, index) =>
      `<sheet name="${name}" sheetId="${index + 2}" r:id="rId${10 + index}" ${attributes}/>`,
  )
  const content =
    book.book ??
    `${XML}<workbook xmlns="${SHEET}" xmlns:r="${OFFICE}">${properties}<sheets>${tabs.join('')}<sheet name="Data" sheetId="1" r:id="rId1"/></sheets></workbook>`
  return officePackage('xl/workbook.xml', 'spreadsheetml.sheet', content, sheets)
}

export const NAMESPACES = `xmlns:w="${WORD}" xmlns:r="${OFFICE}" xmlns:mc="${FORMATS}/markup-compatibility/2006" xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" xmlns:wp="${FORMATS}/drawingml/2006/wordprocessingDrawing" xmlns:a="${FORMATS}/drawingml/2006/main" xmlns:p="${FORMATS}/presentationml/2006/main" xmlns:m="${FORMATS}/officeDocument/2006/math" xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml" xmlns:v="urn:schemas-microsoft-com:vml" xmlns:c="${FORMATS}/drawingml/2006/chart" xmlns:dgm="${FORMATS}/drawingml/2006/diagram" xmlns:a14="http://schemas.microsoft.com/office/drawing/2010/main"`

/** Returns a DOCX file whose body has this content. */
export const makeDocument = (body: string, parts: Part[] = [], namespaces = NAMESPACES): Buffer =>
  officePackage(
    'word/document.xml',
    'wordprocessingml.document',
    `${XML}<w:document ${namespaces}><w:body>${body}<w:sectPr/></w:body></w:document>`,
    parts,
  )

export const run = (text: string, properties = ''): string =>
  `<w:r>${properties === '' ? '' : `<w:rPr>${properties}</w:rPr>`}<w:t xml:space="preserve">${text}</w:t></w:r>`

/** A paragraph of these runs. */
export const para = (...runs: string[]): string => `<w:p>${runs.join('')}</w:p>`

/** A paragraph with properties. */
export const paraOf = (properties: string, ...runs: string[]): string =>
  `<w:p><w:pPr>${properties}</w:pPr>${runs.join('')}</w:p>`

/** Returns a PPTX file. Each slide has the content of its shape tree, and parts to which it refers. */
export function makeSlides(slides: { shapes: string; parts?: Part[] }[]): Buffer {
  const parts: Part[] = slides.flatMap(({ shapes, parts: own = [] }, index): Part[] => [
    {
      name: `ppt/slides/slide${index + 1}.xml`,
      content: `${XML}<p:sld ${NAMESPACES}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`,
      relation: [`rId${index + 1}`, 'slide'],
    },
    {
      name: `ppt/slides/_rels/slide${index + 1}.xml.rels`,
      content: relations(
        '',
        own.map(({ name, relation = ['', ''] }) => [
          relation[0],
          relation[1],
          /^\w+:/.test(name) ? name : `/${name}`,
        ]),
      ).content,
    },
    ...own.filter(({ name }) => !/^\w+:/.test(name)).map(({ name, content }) => ({ name, content })),
  ])
  const ids = slides.map((_, index) => `<p:sldId id="${256 + index}" r:id="rId${index + 1}"/>`)
  return officePackage(
    'ppt/presentation.xml',
    'presentationml.presentation',
    `${XML}<p:presentation ${NAMESPACES}><p:sldIdLst>${ids.join('')}</p:sldIdLst></p:presentation>`,
    parts,
  )
}

/** A shape of a slide with paragraphs. `type` is the type of its placeholder; null for a text box. */
export const shape = (type: string | null, ...paragraphs: string[]): string =>
  `<p:sp><p:nvSpPr><p:cNvPr id="2" name="Shape"/><p:nvPr>${type === null ? '' : `<p:ph type="${type}"/>`}</p:nvPr></p:nvSpPr><p:txBody>${paragraphs.map((text) => (text.startsWith('<') ? text : `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`)).join('')}</p:txBody></p:sp>`

const odfNames = 'office text table draw style presentation meta number svg-compatible chart form manifest'
  .split(' ')
  .map((name) =>
    name === 'svg-compatible'
      ? `xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"`
      : `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`,
  )
  .join(' ')

/** Returns an OpenDocument file: ODT, ODS or ODP, by the kind of its body. */
export function makeOdf(
  kind: 'text' | 'spreadsheet' | 'presentation',
  body: string,
  { automatic = '', styles = '', parts = [] as ZipPart[] } = {},
): Buffer {
  const names = `${odfNames} xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:math="http://www.w3.org/1998/Math/MathML"`
  return makeZip([
    { name: 'mimetype', content: `application/vnd.oasis.opendocument.${kind}` },
    {
      name: 'content.xml',
      content: `${XML}<office:document-content ${names}><office:automatic-styles>${automatic}</office:automatic-styles><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`,
    },
    {
      name: 'styles.xml',
      content: `${XML}<office:document-styles ${names}>${styles}</office:document-styles>`,
    },
    ...parts,
  ])
}

/** Returns an EPUB with these chapters, in reading order. */
export function makeBook(chapters: string[], { metadata = '', parts = [] as ZipPart[] } = {}): Buffer {
  const items = chapters.map(
    (_, index) => `<item id="c${index}" href="text/c${index}.xhtml" media-type="application/xhtml+xml"/>`,
  )
  return makeZip([
    { name: 'mimetype', content: 'application/epub+zip' },
    {
      name: 'META-INF/container.xml',
      content: `${XML}<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`,
    },
    {
      name: 'OEBPS/book.opf',
      content: `${XML}<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">${metadata}</metadata><manifest>${items.join('')}</manifest><spine>${chapters.map((_, index) => `<itemref idref="c${index}"/>`).join('')}</spine></package>`,
    },
    ...chapters.map((content, index) => ({ name: `OEBPS/text/c${index}.xhtml`, content })),
    ...parts,
  ])
}
