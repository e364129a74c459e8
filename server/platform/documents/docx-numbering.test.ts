import { describe, expect, test } from 'vitest'
import { makeDocument, NAMESPACES, type Part, para, paraOf, run } from '#tests/support/office-files.ts'
import { readAs } from '#tests/support/read-as.ts'

const read = (body: string, parts: Part[] = []): Promise<string> => readAs(makeDocument(body, parts), 'docx')
const part = (name: string, id: string, type: string, content: string): Part => ({
  name: `word/${name}.xml`,
  content: `<?xml version="1.0"?>${content}`,
  relation: [id, type],
})

describe('numbering', () => {
  const level = (depth: number, format: string, text: string, more = '', start = 1) =>
    `<w:lvl w:ilvl="${depth}"><w:start w:val="${start}"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/>${more}</w:lvl>`
  const lists = (
    levels: string,
    nums = '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>',
    more = '',
  ) =>
    part(
      'numbering',
      'rId7',
      'numbering',
      `<w:numbering ${NAMESPACES}><w:abstractNum w:abstractNumId="0">${levels}</w:abstractNum>${more}${nums}</w:numbering>`,
    )
  const item = (depth: number, text: string, list = 1) =>
    paraOf(`<w:numPr><w:ilvl w:val="${depth}"/><w:numId w:val="${list}"/></w:numPr>`, run(text))
  const legal = level(0, 'decimal', '%1.') + level(1, 'decimal', '%1.%2') + level(2, 'decimal', '%1.%2.%3')
  const styles = (content: string) =>
    part('styles', 'rId8', 'styles', `<w:styles ${NAMESPACES}>${content}</w:styles>`)
  test.each<[what: string, body: string, parts: Part[], expected: string]>([
    [
      'with a text and a start',
      ['A', 'B', 'C'].map((name) => item(0, name)).join(''),
      [lists(level(0, 'decimal', '§%1', '', 5))],
      '§5 A\n\n§6 B\n\n§7 C',
    ],
    [
      'with words around',
      item(0, 'A') + item(0, 'B'),
      [lists(level(0, 'decimal', 'Article %1:', '', 3))],
      'Article 3: A\n\nArticle 4: B',
    ],
    [
      'of several levels',
      item(0, 'a') + item(1, 'b') + item(2, 'c') + item(2, 'd') + item(1, 'e') + item(0, 'f') + item(1, 'g'),
      [lists(legal)],
      '1. a\n\n1.1 b\n\n1.1.1 c\n\n1.1.2 d\n\n1.2 e\n\n2. f\n\n2.1 g',
    ],
    ['that skips a level', item(0, 'a') + item(2, 'b'), [lists(legal)], '1. a\n\n1.1.1 b'],
    ['with letters', item(0, 'x') + item(0, 'y'), [lists(level(0, 'lowerLetter', '%1)'))], 'a) x\n\nb) y'],
    [
      'beyond z',
      item(0, 'x') + item(0, 'y'),
      [lists(level(0, 'upperLetter', '%1)', '', 26))],
      'Z) x\n\nAA) y',
    ],
    [
      'with Roman numbers',
      item(0, 'x') + item(0, 'y'),
      [lists(level(0, 'upperRoman', '%1.', '', 3))],
      'III. x\n\nIV. y',
    ],
    ['with small Roman numbers', item(0, 'x'), [lists(level(0, 'lowerRoman', '(%1)', '', 9))], '(ix) x'],
    ['with two digits', item(0, 'x'), [lists(level(0, 'decimalZero', '%1', '', 7))], '07 x'],
    [
      'with ordinal numbers',
      item(0, 'x') + item(0, 'y'),
      [lists(level(0, 'ordinal', '%1', '', 2))],
      '2nd x\n\n3rd y',
    ],
    [
      'with Chinese numbers',
      item(0, '总则'),
      [lists(level(0, 'chineseCounting', '第%1条', '', 12))],
      '第十二条 总则',
    ],
    [
      'in digits on a legal level',
      item(0, 'x') + item(1, 'y'),
      [lists(level(0, 'upperRoman', '%1.') + level(1, 'decimal', '%1.%2', '<w:isLgl/>'))],
      'I. x\n\n1.1 y',
    ],
    ['in Markdown', item(0, 'x') + item(0, 'y'), [lists(level(0, 'decimal', '%1.', '', 4))], '4. x\n5. y'],
    [
      'with a bracket in Markdown',
      item(0, 'x') + item(1, 'y') + item(0, 'z'),
      [lists(level(0, 'decimal', '%1)') + level(1, 'bullet', ''))],
      '1) x\n  - y\n2) z',
    ],
    [
      'that continues after a paragraph',
      item(0, 'x') + para(run('between')) + item(0, 'y'),
      [lists(level(0, 'decimal', '%1.'))],
      '1. x\n\nbetween\n\n2. y',
    ],
    [
      'that restarts in another list',
      item(0, 'x') + item(0, 'y', 2) + item(0, 'z', 2),
      [
        lists(
          level(0, 'decimal', '§%1'),
          '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num>',
        ),
      ],
      '§1 x\n\n§1 y\n\n§2 z',
    ],
    [
      'that continues in another list',
      item(0, 'x') + item(0, 'y', 2),
      [
        lists(
          level(0, 'decimal', '§%1'),
          '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="0"/></w:num>',
        ),
      ],
      '§1 x\n\n§2 y',
    ],
    [
      'with its own level',
      item(0, 'x', 2),
      [
        lists(
          level(0, 'decimal', '%1.'),
          `<w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0">${level(0, 'decimal', '#%1', '', 9)}</w:lvlOverride></w:num>`,
        ),
      ],
      '#9 x',
    ],
    [
      'that never restarts',
      item(0, 'a') + item(1, 'b') + item(0, 'c') + item(1, 'd'),
      [lists(level(0, 'decimal', '§%1') + level(1, 'decimal', '(%2)', '<w:lvlRestart w:val="0"/>'))],
      '§1 a\n\n(1) b\n\n§2 c\n\n(2) d',
    ],
    [
      'by a style',
      paraOf('<w:pStyle w:val="Clause"/>', run('x')) + paraOf('<w:pStyle w:val="Clause"/>', run('y')),
      [
        lists(level(0, 'decimal', '§%1')),
        styles(
          '<w:style w:styleId="Clause"><w:name w:val="Clause"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>',
        ),
      ],
      '§1 x\n\n§2 y',
    ],
    [
      'by the style of a level',
      paraOf('<w:pStyle w:val="Sub"/>', run('x')),
      [
        lists(level(0, 'decimal', '%1.') + level(1, 'decimal', '%1.%2', '<w:pStyle w:val="Sub"/>')),
        styles(
          '<w:style w:styleId="Sub"><w:name w:val="Sub"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>',
        ),
      ],
      '1.1 x',
    ],
    [
      'of headings',
      paraOf('<w:pStyle w:val="berschrift1"/>', run('Scope')),
      [
        lists(level(0, 'decimal', '%1')),
        styles(
          '<w:style w:styleId="berschrift1"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr><w:outlineLvl w:val="0"/></w:pPr></w:style>',
        ),
      ],
      '# 1 Scope',
    ],
    [
      'that a style switches off',
      paraOf('<w:pStyle w:val="Clause"/><w:numPr><w:numId w:val="0"/></w:numPr>', run('x')),
      [
        lists(level(0, 'decimal', '§%1')),
        styles(
          '<w:style w:styleId="Clause"><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>',
        ),
      ],
      'x',
    ],
    [
      'of a linked style',
      item(0, 'x', 1),
      [
        lists(
          '<w:numStyleLink w:val="Outline"/>',
          '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="5"/></w:num>',
          `<w:abstractNum w:abstractNumId="5"><w:styleLink w:val="Outline"/>${level(0, 'decimal', '§%1')}</w:abstractNum>`,
        ),
        styles(
          '<w:style w:styleId="Outline"><w:pPr><w:numPr><w:numId w:val="2"/></w:numPr></w:pPr></w:style>',
        ),
      ],
      '§1 x',
    ],
    ['of an unknown list', item(0, 'x', 77), [lists(level(0, 'decimal', '%1.'))], 'x'],
    ['that is not shown', item(0, 'x'), [lists(level(0, 'none', ''))], 'x'],
    [
      'of a deleted former list',
      paraOf(
        '<w:pPrChange w:id="1"><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr></w:pPrChange>',
        run('x'),
      ),
      [lists(level(0, 'decimal', '§%1'))],
      'x',
    ],
    [
      'in a table',
      `<w:tbl><w:tr><w:tc>${item(0, 'x')}${item(0, 'y')}</w:tc><w:tc>${para(run('b'))}</w:tc></w:tr></w:tbl>`,
      [lists(level(0, 'decimal', '§%1'))],
      '| §1 x §2 y | b |\n| --- | --- |',
    ],
    [
      'in a table in Markdown',
      `<w:tbl><w:tr><w:tc>${item(0, 'x')}${item(0, 'y')}</w:tc></w:tr></w:tbl>`,
      [lists(level(0, 'decimal', '%1.'))],
      '| 1. x 2. y |\n| --- |',
    ],
  ])('%s', async (_what, body, parts, expected) => {
    expect(await read(body, parts)).toBe(expected)
  })
})

describe('equations', () => {
  const t = (text: string) => `<m:r><m:t>${text}</m:t></m:r>`
  const e = (name: string, content: string) => `<m:${name}>${content}</m:${name}>`
  test.each<[tex: string, content: string]>([
    ['E=mc^2', `${t('E=m')}${e('sSup', e('e', t('c')) + e('sup', t('2')))}`],
    ['x^{10}', e('sSup', e('e', t('x')) + e('sup', t('10')))],
    ['x_i', e('sSub', e('e', t('x')) + e('sub', t('i')))],
    ['x_i^2', e('sSubSup', e('e', t('x')) + e('sub', t('i')) + e('sup', t('2')))],
    ['\\frac{a+b}{c}', e('f', e('num', t('a+b')) + e('den', t('c')))],
    ['a/b', e('f', '<m:fPr><m:type m:val="lin"/></m:fPr>' + e('num', t('a')) + e('den', t('b')))],
    [
      '\\frac{1}{\\frac{1}{2}}',
      e('f', e('num', t('1')) + e('den', e('f', e('num', t('1')) + e('den', t('2'))))),
    ],
    ['\\sqrt{2}', e('rad', '<m:radPr><m:degHide m:val="1"/></m:radPr><m:deg/>' + e('e', t('2')))],
    ['\\sqrt[3]{x}', e('rad', e('deg', t('3')) + e('e', t('x')))],
    [
      '\\sum_{i=1}^n i',
      e(
        'nary',
        '<m:naryPr><m:chr m:val="∑"/></m:naryPr>' + e('sub', t('i=1')) + e('sup', t('n')) + e('e', t('i')),
      ),
    ],
    ['\\int_0^1 x', e('nary', e('sub', t('0')) + e('sup', t('1')) + e('e', t('x')))],
    ['(a+b)', e('d', e('e', t('a+b')))],
    [
      '[a|b]',
      e('d', '<m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr>' + e('e', t('a')) + e('e', t('b'))),
    ],
    ['(a+b)^2', e('sSup', e('e', e('d', e('e', t('a+b')))) + e('sup', t('2')))],
    ['{a+b}^2', e('sSup', e('e', t('a+b')) + e('sup', t('2')))],
    ['\\sin x', e('func', e('fName', t('sin')) + e('e', t('x')))],
    [
      '\\lim_{x→0} x',
      e('func', e('fName', e('limLow', e('e', t('lim')) + e('lim', t('x→0')))) + e('e', t('x'))),
    ],
    ['\\hat{x}', e('acc', e('e', t('x')))],
    ['\\vec{v}', e('acc', '<m:accPr><m:chr m:val="\u20d7"/></m:accPr>' + e('e', t('v')))],
    ['\\overline{x}', e('bar', '<m:barPr><m:pos m:val="top"/></m:barPr>' + e('e', t('x')))],
    [
      '\\begin{matrix}a & b \\\\ c & d\\end{matrix}',
      e('m', e('mr', e('e', t('a')) + e('e', t('b'))) + e('mr', e('e', t('c')) + e('e', t('d')))),
    ],
    ['\\begin{aligned}x=1 \\\\ y=2\\end{aligned}', e('eqArr', e('e', t('x=1')) + e('e', t('y=2')))],
    ['5\\%', t('5%')],
    ['x', `<m:r><w:rPr><w:i/></w:rPr><m:rPr><m:sty m:val="i"/></m:rPr><m:t>x</m:t></m:r>`],
  ])('%s', async (tex, content) => {
    const body = `${para(`<m:oMathPara><m:oMath>${content}</m:oMath></m:oMathPara>`)}${para(run('In '), `<m:oMath>${content}</m:oMath>`, run(' out.'))}`
    expect(await read(body)).toBe(`$$${tex}$$\n\nIn $${tex}$ out.`)
  })
})
