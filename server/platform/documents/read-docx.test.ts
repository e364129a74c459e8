import { describe, expect, test } from 'vitest'
import { makeDocument, NAMESPACES, type Part, para, paraOf, run } from '#tests/support/office-files.ts'
import { readAs } from '#tests/support/read-as.ts'

const read = (body: string, parts: Part[] = []): Promise<string> => readAs(makeDocument(body, parts), 'docx')
const part = (name: string, id: string, type: string, content: string): Part => ({
  name: `word/${name}.xml`,
  content: `<?xml version="1.0"?>${content}`,
  relation: [id, type],
})

describe('text', () => {
  const note = (kind: 'footnote' | 'endnote', id: string, ...content: string[]) =>
    part(
      `${kind}s`,
      id,
      `${kind}s`,
      `<w:${kind}s ${NAMESPACES}><w:${kind} w:id="-1" w:type="separator">${para(run('---'))}</w:${kind}>${content.map((text, index) => `<w:${kind} w:id="${index + 1}">${para(`<w:r><w:${kind}Ref/></w:r>`, run(text))}</w:${kind}>`).join('')}</w:${kind}s>`,
    )
  const refer = (kind: string, id: number) => `<w:r><w:${kind}Reference w:id="${id}"/></w:r>`
  const style = (id: string, content: string) =>
    part(
      'styles',
      'rId8',
      'styles',
      `<w:styles ${NAMESPACES}><w:style w:styleId="${id}">${content}</w:style></w:styles>`,
    )
  test.each<[what: string, body: string, parts: Part[], expected: string]>([
    [
      'with a footnote',
      para(run('See'), refer('footnote', 1), run('.')),
      [note('footnote', 'rId5', 'The note.')],
      'See[1].\n\n1. The note.',
    ],
    [
      'with an endnote',
      para(run('See'), refer('endnote', 1), run('.')),
      [note('endnote', 'rId5', 'The note.')],
      'See[1].\n\n1. The note.',
    ],
    [
      'with both',
      para(run('a'), refer('footnote', 2), run('b'), refer('endnote', 1)),
      [note('footnote', 'rId5', 'unused', 'foot'), note('endnote', 'rId6', 'end')],
      'a[1]b[2]\n\n1. foot\n2. end',
    ],
    ['that was inserted', para(run('a '), `<w:ins w:id="1">${run('new')}</w:ins>`), [], 'a new'],
    [
      'that was deleted',
      para(run('a'), '<w:del w:id="1"><w:r><w:delText> old</w:delText></w:r></w:del>', run(' b')),
      [],
      'a b',
    ],
    [
      'that was moved',
      para(
        run('a'),
        `<w:moveFrom w:id="1">${run(' old')}</w:moveFrom>`,
        `<w:moveTo w:id="2">${run(' new')}</w:moveTo>`,
      ),
      [],
      'a new',
    ],
    [
      'in a paragraph whose mark was deleted',
      paraOf('<w:rPr><w:del w:id="1"/></w:rPr>', run('one ')) + para(run('two')),
      [],
      'one two',
    ],
    ['that is hidden', para(run('seen'), run(' unseen', '<w:vanish/>')), [], 'seen'],
    ['that is not hidden', para(run('seen'), run(' too', '<w:vanish w:val="0"/>')), [], 'seen too'],
    [
      'that is hidden by a style',
      para(run('seen'), run(' unseen', '<w:rStyle w:val="H"/>')),
      [style('H', '<w:rPr><w:vanish/></w:rPr>')],
      'seen',
    ],
    ['after a hidden mark', paraOf('<w:rPr><w:vanish/></w:rPr>', run('seen')), [], 'seen'],
    [
      'in a content control',
      `<w:sdt><w:sdtPr><w:alias w:val="x"/></w:sdtPr><w:sdtContent>${para(run('inside'))}</w:sdtContent></w:sdt>`,
      [],
      'inside',
    ],
    [
      'in a content control of a sentence',
      para(run('a '), `<w:sdt><w:sdtContent>${run('b')}</w:sdtContent></w:sdt>`, run(' c')),
      [],
      'a b c',
    ],
    [
      'in custom XML and smart tags',
      para(`<w:customXml><w:smartTag>${run('tagged')}</w:smartTag></w:customXml>`),
      [],
      'tagged',
    ],
    [
      'with a link',
      para(`<w:hyperlink r:id="rId5">${run('our page')}</w:hyperlink>`),
      [{ name: 'https://example.com/x', content: '', relation: ['rId5', 'hyperlink'] }],
      '[our page](https://example.com/x)',
    ],
    [
      'with a link that is a script',
      para(`<w:hyperlink r:id="rId5">${run('x')}</w:hyperlink>`),
      [{ name: 'javascript:alert(1)', content: '', relation: ['rId5', 'hyperlink'] }],
      'x',
    ],
    [
      'with a comment',
      para(
        '<w:commentRangeStart w:id="0"/>',
        run('text'),
        '<w:commentRangeEnd w:id="0"/><w:r><w:commentReference w:id="0"/></w:r>',
      ),
      [
        part(
          'comments',
          'rId5',
          'comments',
          `<w:comments ${NAMESPACES}><w:comment w:id="0">${para(run('remark'))}</w:comment></w:comments>`,
        ),
      ],
      'text',
    ],
    [
      'with a reading',
      para(`<w:r><w:ruby><w:rt>${run('とう')}</w:rt><w:rubyBase>${run('東')}</w:rubyBase></w:ruby></w:r>`),
      [],
      '東',
    ],
    [
      'with tabs and breaks',
      para('<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t></w:r>'),
      [],
      'a b\nc-d',
    ],
    ['with tab stops', paraOf('<w:tabs><w:tab w:val="left" w:pos="720"/></w:tabs>', run('a')), [], 'a'],
    [
      'with Greek letters of the Symbol font',
      para(
        '<w:r><w:sym w:font="Symbol" w:char="F061"/></w:r>',
        run('='),
        '<w:r><w:sym w:font="Symbol" w:char="F0A5"/></w:r>',
      ),
      [],
      'α=∞',
    ],
    ['of a heading by its style', paraOf('<w:pStyle w:val="Heading2"/>', run('Title')), [], '## Title'],
    [
      'of a heading in another language',
      paraOf('<w:pStyle w:val="a"/>', run('Заголовок')),
      [style('a', '<w:name w:val="heading 3"/>')],
      '### Заголовок',
    ],
    ['of a heading by its level', paraOf('<w:outlineLvl w:val="1"/>', run('Title')), [], '## Title'],
    [
      'in an embedded page',
      '<w:altChunk r:id="rId5"/>',
      [
        {
          name: 'word/chunk.html',
          content: '<html><body><h1>Offer</h1><p>1,200 EUR</p></body></html>',
          relation: ['rId5', 'aFChunk'],
        },
      ],
      '# Offer\n\n1,200 EUR',
    ],
    [
      'in a chart',
      para('<w:r><w:drawing><c:chart r:id="rId5"/></w:drawing></w:r>'),
      [
        part(
          'charts/chart1',
          'rId5',
          'chart',
          `<c:chartSpace ${NAMESPACES}><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart><c:ser><c:tx><c:strRef><c:strCache><c:pt idx="0"><c:v>2024</c:v></c:pt></c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:strCache><c:pt idx="0"><c:v>North</c:v></c:pt><c:pt idx="1"><c:v>South</c:v></c:pt></c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache><c:pt idx="0"><c:v>12</c:v></c:pt><c:pt idx="1"><c:v>7</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>`,
        ),
      ],
      'Sales\n\n|  | 2024 |\n| --- | --- |\n| North | 12 |\n| South | 7 |',
    ],
    [
      'in a diagram',
      para('<w:r><w:drawing><dgm:relIds r:dm="rId5"/></w:drawing></w:r>'),
      [
        part(
          'diagrams/data1',
          'rId5',
          'diagramData',
          `<dgm:dataModel ${NAMESPACES}><dgm:ptLst><dgm:pt><dgm:t><a:p><a:r><a:t>Plan</a:t></a:r></a:p></dgm:t></dgm:pt><dgm:pt><dgm:t><a:p><a:r><a:t>Build</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst></dgm:dataModel>`,
        ),
      ],
      'Plan\nBuild',
    ],
  ])('%s', async (_what, body, parts, expected) => {
    expect(await read(body, parts)).toBe(expected)
  })

  test('with other prefixes, and in the strict variant', async () => {
    const body = `<x:p><x:r><x:t>text</x:t></x:r></x:p>`
    for (const uri of [
      'http://schemas.openxmlformats.org/wordprocessingml/2006/main',
      'http://purl.oclc.org/ooxml/wordprocessingml/main',
    ]) {
      const plain = makeDocument(body, [], `xmlns:x="${uri}" xmlns:w="${uri}"`)
      expect(await readAs(plain, 'docx')).toBe('text')
    }
  })
})

describe('headers and footers', () => {
  const margin = (name: string, id: string, kind: 'header' | 'footer', ...paragraphs: string[]) =>
    part(
      name,
      id,
      kind,
      `<w:${kind === 'header' ? 'hdr' : 'ftr'} ${NAMESPACES}>${paragraphs.join('')}</w:${kind === 'header' ? 'hdr' : 'ftr'}>`,
    )
  const page = `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> PAGE </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>${run('3')}<w:r><w:fldChar w:fldCharType="end"/></w:r>`
  test.each<[what: string, parts: Part[], expected: string]>([
    ['a header', [margin('header1', 'rId5', 'header', para(run('Contract 4711')))], 'Contract 4711\n\nBody.'],
    ['a footer', [margin('footer1', 'rId5', 'footer', para(run('Confidential')))], 'Body.\n\nConfidential'],
    [
      'the same header of several pages',
      ['header1', 'header2', 'header3'].map((name, index) =>
        margin(name, `rId${5 + index}`, 'header', para(run('Contract 4711'))),
      ),
      'Contract 4711\n\nBody.',
    ],
    [
      'different headers',
      [
        margin('header1', 'rId5', 'header', para(run('First'))),
        margin('header2', 'rId6', 'header', para(run('Others'))),
      ],
      'First\n\nOthers\n\nBody.',
    ],
    [
      'a page number',
      [margin('footer1', 'rId5', 'footer', para(run('Offer, page '), page))],
      'Body.\n\nOffer, page',
    ],
    [
      'only a page number',
      [margin('footer1', 'rId5', 'footer', para(`<w:fldSimple w:instr="PAGE">${run('3')}</w:fldSimple>`))],
      'Body.',
    ],
    [
      'a table',
      [
        margin(
          'header1',
          'rId5',
          'header',
          `<w:tbl><w:tr><w:tc>${para(run('Company'))}</w:tc><w:tc>${para(run('Contract'))}</w:tc></w:tr></w:tbl><w:p/>`,
        ),
      ],
      '| Company | Contract |\n| --- | --- |\n\nBody.',
    ],
    [
      'a text box',
      [
        margin(
          'header1',
          'rId5',
          'header',
          para(
            `<w:r><w:drawing><wps:txbx><w:txbxContent>${para(run('In a box'))}</w:txbxContent></wps:txbx></w:drawing></w:r>`,
          ),
        ),
      ],
      'In a box\n\nBody.',
    ],
    ['an empty one', [margin('header1', 'rId5', 'header', '<w:p/>')], 'Body.'],
  ])('%s', async (_what, parts, expected) => {
    expect(await read(para(run('Body.')), parts)).toBe(expected)
  })
})

describe('tables', () => {
  const cell = (text: string, properties = '') =>
    `<w:tc><w:tcPr>${properties}</w:tcPr>${text === '' ? '<w:p/>' : para(run(text))}</w:tc>`
  const restart = '<w:vMerge w:val="restart"/>'
  const goesOn = '<w:vMerge/>'
  const span = (columns: number) => `<w:gridSpan w:val="${columns}"/>`
  const table = (...rows: string[][]) =>
    `<w:tbl>${rows.map((cells) => `<w:tr>${cells.join('')}</w:tr>`).join('')}</w:tbl>`
  const head = [cell('Region'), cell('Product'), cell('Units')]
  const top = '| Region | Product | Units |\n| --- | --- | --- |\n'
  test.each<[what: string, body: string, expected: string]>([
    [
      'with a merged first column',
      table(
        head,
        [cell('EU', restart), cell('Cable'), cell('12')],
        [cell('', goesOn), cell('Hub'), cell('7')],
      ),
      `${top}| EU | Cable | 12 |\n| EU | Hub | 7 |`,
    ],
    [
      'with a merged middle column',
      table(head, [cell('a'), cell('b', restart), cell('1')], [cell('c'), cell('', goesOn), cell('2')]),
      `${top}| a | b | 1 |\n| c | b | 2 |`,
    ],
    [
      'with a merged last column over three rows',
      table(
        head,
        [cell('a'), cell('b'), cell('1', restart)],
        [cell('c'), cell('d'), cell('', goesOn)],
        [cell('e'), cell('f'), cell('', '<w:vMerge w:val="continue"/>')],
      ),
      `${top}| a | b | 1 |\n| c | d | 1 |\n| e | f | 1 |`,
    ],
    [
      'with two merged cells below each other',
      table(
        head,
        [cell('a', restart), cell('b'), cell('1')],
        [cell('', goesOn), cell('c'), cell('2')],
        [cell('d', restart), cell('e'), cell('3')],
        [cell('', goesOn), cell('f'), cell('4')],
      ),
      `${top}| a | b | 1 |\n| a | c | 2 |\n| d | e | 3 |\n| d | f | 4 |`,
    ],
    [
      'with a cell over two columns',
      table(head, [cell('both', span(2)), cell('1')], [cell('a'), cell('b'), cell('2')]),
      `${top}| both |  | 1 |\n| a | b | 2 |`,
    ],
    [
      'with a cell over columns and rows',
      table(head, [cell('both', span(2) + restart), cell('1')], [cell('', span(2) + goesOn), cell('2')]),
      `${top}| both |  | 1 |\n| both |  | 2 |`,
    ],
    [
      'with a row that starts in the second column',
      `<w:tbl><w:tr>${head.join('')}</w:tr><w:tr><w:trPr><w:gridBefore w:val="1"/></w:trPr>${cell('b')}${cell('1')}</w:tr></w:tbl>`,
      `${top}|  | b | 1 |`,
    ],
    [
      'with a deleted row',
      `<w:tbl><w:tr>${head.join('')}</w:tr><w:tr><w:trPr><w:del w:id="1"/></w:trPr>${cell('x')}${cell('y')}${cell('z')}</w:tr></w:tbl>`,
      top.trim(),
    ],
    [
      'with several paragraphs in a cell',
      table(head, [`<w:tc>${para(run('one'))}${para(run('two'))}</w:tc>`, cell('b'), cell('1')]),
      `${top}| one two | b | 1 |`,
    ],
    [
      'in a table',
      table(head, [`<w:tc>${table([cell('in'), cell('ner')])}<w:p/></w:tc>`, cell('b'), cell('1')]),
      `${top}| in ner | b | 1 |`,
    ],
    [
      'whose cells are content controls',
      `<w:tbl><w:sdt><w:sdtContent><w:tr>${head.join('')}</w:tr></w:sdtContent></w:sdt><w:tr><w:sdt><w:sdtContent>${cell('a')}</w:sdtContent></w:sdt>${cell('b')}${cell('1')}</w:tr></w:tbl>`,
      `${top}| a | b | 1 |`,
    ],
    ['with a bar', table(head, [cell('a|b'), cell('b'), cell('1')]), `${top}| a\\|b | b | 1 |`],
  ])('%s', async (_what, body, expected) => {
    expect(await read(body)).toBe(expected)
  })
})
