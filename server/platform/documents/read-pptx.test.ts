import { describe, expect, test } from 'vitest'
import { makeZip } from '#tests/support/hostile-files.ts'
import { makeSlides, NAMESPACES, shape } from '#tests/support/office-files.ts'
import { readAs } from '#tests/support/read-as.ts'

describe('a PPTX', () => {
  const table = (...rows: string[][]) =>
    `<p:graphicFrame><a:graphic><a:graphicData><a:tbl>${rows.map((cells) => `<a:tr>${cells.map((cell) => (cell.startsWith('<') ? cell : `<a:tc><a:txBody><a:p><a:r><a:t>${cell}</a:t></a:r></a:p></a:txBody></a:tc>`)).join('')}</a:tr>`).join('')}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>`
  const empty = '<a:txBody><a:p/></a:txBody>'
  const notes = (text: string) => ({
    name: 'ppt/notesSlides/n1.xml',
    content: `<p:notes ${NAMESPACES}><p:cSld><p:spTree>${shape('sldImg')}${shape('body', text)}${shape('sldNum', '1')}</p:spTree></p:cSld></p:notes>`,
    relation: ['rId1', 'notesSlide'] as [string, string],
  })
  test.each<[what: string, slides: Parameters<typeof makeSlides>[0], expected: string]>([
    [
      'with a title and points',
      [{ shapes: shape('title', 'Plan') + shape('body', 'one', 'two') }],
      '## Slide 1: Plan\n\n- one\n- two',
    ],
    [
      'with a centered title',
      [{ shapes: shape('ctrTitle', 'Plan') + shape('subTitle', 'for 2026') }],
      '## Slide 1: Plan\n\n- for 2026',
    ],
    [
      'with levels',
      [{ shapes: shape('body', 'one', '<a:p><a:pPr lvl="1"/><a:r><a:t>deeper</a:t></a:r></a:p>') }],
      '## Slide 1\n\n- one\n  - deeper',
    ],
    ['with a text box', [{ shapes: shape(null, 'free text') }], '## Slide 1\n\nfree text'],
    [
      'with several slides',
      [{ shapes: shape('title', 'A') }, { shapes: '' }, { shapes: shape('title', 'C') }],
      '## Slide 1: A\n\n## Slide 3: C',
    ],
    [
      'with a table',
      [{ shapes: table(['Name', 'Units'], ['Hub', '7']) }],
      '## Slide 1\n\n| Name | Units |\n| --- | --- |\n| Hub | 7 |',
    ],
    [
      'with merged cells',
      [
        {
          shapes: table(
            ['Name', 'Units'],
            [`<a:tc rowSpan="2"><a:txBody><a:p><a:r><a:t>EU</a:t></a:r></a:p></a:txBody></a:tc>`, '7'],
            [`<a:tc vMerge="1">${empty}</a:tc>`, '8'],
          ),
        },
      ],
      '## Slide 1\n\n| Name | Units |\n| --- | --- |\n| EU | 7 |\n| EU | 8 |',
    ],
    [
      'with a cell over two columns',
      [
        {
          shapes: table(
            ['a', 'b'],
            [
              `<a:tc gridSpan="2"><a:txBody><a:p><a:r><a:t>both</a:t></a:r></a:p></a:txBody></a:tc>`,
              `<a:tc hMerge="1">${empty}</a:tc>`,
            ],
          ),
        },
      ],
      '## Slide 1\n\n| a | b |\n| --- | --- |\n| both |  |',
    ],
    [
      'with notes',
      [{ shapes: shape('title', 'A'), parts: [notes('Say hello')] }],
      '## Slide 1: A\n\nNotes: - Say hello',
    ],
    [
      'with a link',
      [
        {
          shapes: shape(
            null,
            '<a:p><a:r><a:rPr><a:hlinkClick r:id="rId2"/></a:rPr><a:t>site</a:t></a:r></a:p>',
          ),
          parts: [{ name: 'https://example.com/', content: '', relation: ['rId2', 'hyperlink'] }],
        },
      ],
      '## Slide 1\n\n[site](https://example.com/)',
    ],
    [
      'with a group',
      [{ shapes: `<p:grpSp>${shape(null, 'G1')}<p:grpSp>${shape(null, 'G2')}</p:grpSp></p:grpSp>` }],
      '## Slide 1\n\nG1\n\nG2',
    ],
    [
      'with numbers and footers of slides',
      [
        { shapes: shape('title', 'A') + shape('sldNum', '1') + shape('ftr', 'Confidential') },
        { shapes: shape('title', 'B') + shape('ftr', 'Confidential') },
      ],
      '## Slide 1: A\n\n## Slide 2: B\n\nConfidential',
    ],
    [
      'with a picture',
      [{ shapes: '<p:pic><p:nvPicPr><p:cNvPr id="3" name="x" descr="A red car"/></p:nvPicPr></p:pic>' }],
      '## Slide 1\n\nA red car',
    ],
    [
      'with an equation',
      [
        {
          shapes: shape(
            null,
            '<a:p><a:r><a:t>Area </a:t></a:r><a14:m><m:oMath><m:sSup><m:e><m:r><m:t>r</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath></a14:m></a:p>',
          ),
        },
      ],
      '## Slide 1\n\nArea $r^2$',
    ],
    [
      'with a choice and a fallback',
      [
        {
          shapes: `<mc:AlternateContent><mc:Choice Requires="a14">${shape(null, 'once')}</mc:Choice><mc:Fallback>${shape(null, 'once')}</mc:Fallback></mc:AlternateContent>`,
        },
      ],
      '## Slide 1\n\nonce',
    ],
    [
      'with a chart',
      [
        {
          shapes: '<p:graphicFrame><a:graphic><c:chart r:id="rId2"/></a:graphic></p:graphicFrame>',
          parts: [
            {
              name: 'ppt/charts/c1.xml',
              content: `<c:chartSpace ${NAMESPACES}><c:ser><c:tx><c:v>Sum</c:v></c:tx><c:cat><c:pt idx="0"><c:v>Q1</c:v></c:pt></c:cat><c:val><c:pt idx="0"><c:v>9</c:v></c:pt></c:val></c:ser></c:chartSpace>`,
              relation: ['rId2', 'chart'],
            },
          ],
        },
      ],
      '## Slide 1\n\n|  | Sum |\n| --- | --- |\n| Q1 | 9 |',
    ],
    [
      'with a line break in the title',
      [{ shapes: shape('title', '<a:p><a:r><a:t>One</a:t></a:r><a:br/><a:r><a:t>two</a:t></a:r></a:p>') }],
      '## Slide 1: One two',
    ],
  ])('%s', async (_what, slides, expected) => {
    expect(await readAs(makeSlides(slides), 'pptx')).toBe(expected)
  })
})

test('a document whose archive begins with another part is detected', async () => {
  const parts = (files: [string, string][]) => makeZip(files.map(([name, content]) => ({ name, content })))
  const filler: [string, string] = ['docProps/thumbnail.bin', 'x'.repeat(5_000)]
  const word = `<w:document ${NAMESPACES}><w:body><w:p><w:r><w:t>text</w:t></w:r></w:p></w:body></w:document>`
  expect(await readAs(parts([filler, ['word/document.xml', word]]), 'docx')).toBe('text')
  await expect(readAs(parts([filler]), 'docx')).rejects.toThrow('not detected')
  await expect(readAs(parts([filler, ['word/document.xml', word]]), 'zip')).rejects.toThrow('not detected')
})
